/** Converts a package name to a name that clients accept as an identifier: `@scope/name` becomes `scope-name`. */
export function toServerName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^-+/, "");
}
