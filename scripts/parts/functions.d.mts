export function codeOf(path: string): string;
export function withProbes(code: string, says: (name: string) => string): string;
export function divided(
  code: string,
  isMoved: (name: string) => boolean,
  names: { readonly kept: string; readonly moved: string },
): { readonly kept: string; readonly moved: string | undefined; readonly names: readonly string[] };
