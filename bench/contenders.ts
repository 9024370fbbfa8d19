// The contenders: Einlang and its peers, each with the command that starts it.

import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/**
 * Compiled programs of Einlang, its eager tensors, peers in JavaScript and WebAssembly, and peers
 * with native code behind Python or Node.
 */
export type Family = "ours" | "eager" | "web" | "native";

export interface Contender {
  readonly name: string;
  readonly family: Family;
  /** The greatest number of threads that it can use. */
  readonly mostThreads: number;
  /** The program and its first arguments. `undefined` if its interpreter is not installed. */
  readonly command: (place: Place) => readonly string[] | undefined;
}

/** The folders of the repository, of the peers' workspace and of the bundled scripts. */
export interface Place {
  readonly root: string;
  readonly peers: string;
  readonly built: string;
}

export const contenders: readonly Contender[] = [
  { name: "ours", family: "ours", mostThreads: availableParallelism(), command: ours },
  { name: "eager", family: "eager", mostThreads: 1, command: eager },
  {
    name: "tfjs-wasm",
    family: "web",
    mostThreads: 1,
    command: script("tfjs-wasm", process.execPath),
  },
  {
    name: "jax-js",
    family: "web",
    mostThreads: availableParallelism(),
    command: onNewerNode("jax-js"),
  },
  {
    name: "ort-web",
    family: "web",
    mostThreads: availableParallelism(),
    command: onNewerNode("ort-web"),
  },
  {
    name: "ort-node",
    family: "native",
    mostThreads: availableParallelism(),
    command: script("ort-node", process.execPath),
  },
  {
    name: "numpy",
    family: "native",
    mostThreads: availableParallelism(),
    command: python("numpy_rows.py"),
  },
  {
    name: "torch",
    family: "native",
    mostThreads: availableParallelism(),
    command: python("torch_rows.py"),
  },
  {
    name: "jax",
    family: "native",
    mostThreads: availableParallelism(),
    command: python("jax_rows.py"),
  },
];

function ours({ built }: Place): readonly string[] {
  return [process.execPath, join(built, "ours.mjs")];
}

function eager({ built }: Place): readonly string[] {
  return [process.execPath, join(built, "eager.mjs")];
}

function script(name: string, node: string): Contender["command"] {
  return ({ peers, built }) =>
    existsSync(join(peers, "node_modules")) ? [node, join(built, `${name}.mjs`)] : undefined;
}

/** Some peers need a newer Node than Einlang. `npm run bench:install` fetches one. */
function onNewerNode(name: string): Contender["command"] {
  return (place) => {
    const node = newerNode(place.peers);
    return existsSync(node) ? script(name, node)(place) : undefined;
  };
}

export function newerNode(peers: string): string {
  return join(
    peers,
    ".cache/node/node_modules",
    nodePackage(),
    "bin",
    process.platform === "win32" ? "node.exe" : "node",
  );
}

/** The package that contains a Node for this platform. */
export function nodePackage(): string {
  return `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
}

function python(file: string): Contender["command"] {
  return ({ peers }) => {
    const interpreter = join(
      peers,
      ".cache/venv",
      process.platform === "win32" ? "Scripts/python.exe" : "bin/python",
    );
    return existsSync(interpreter) ? [interpreter, join(peers, file)] : undefined;
  };
}
