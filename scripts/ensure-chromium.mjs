// Makes sure that the browser test finds Chromium. If the system has none, apt-get installs it.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const chosen = process.env.CHROMIUM;
const path = chosen ?? "/usr/bin/chromium";

if (chosen !== undefined && !existsSync(chosen)) {
  console.error(`CHROMIUM is set to ${chosen}, where there is no file`);
  process.exit(1);
}
if (!existsSync(path)) {
  console.log(`no browser at ${path}: installing Debian's chromium`);
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const run = (...words) => {
    const [command, ...rest] = [...asRoot, ...words];
    return spawnSync(command, rest, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0;
  };
  const install = () => run("apt-get", "install", "-y", "--no-install-recommends", "chromium");
  if (!(install() || (run("apt-get", "update") && install())) || !existsSync(path)) {
    console.error(
      [
        "The browser test needs Chromium, and apt-get could not install it.",
        "Install it by hand, or set CHROMIUM to the path of a Chromium or Chrome:",
        "  CHROMIUM=/path/to/chrome npm test",
      ].join("\n"),
    );
    process.exit(1);
  }
}
