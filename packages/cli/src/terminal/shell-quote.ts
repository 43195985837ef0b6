/** Quotes a path for a command that the user may paste into a shell: `$(x)` and `a&b` are valid names of folders. */
export function quoteForShell(path: string): string {
  const local = path.startsWith("-") ? `./${path}` : path;
  if (process.platform === "win32") return /^[\w./:\\-]+$/.test(local) ? local : `"${local}"`;
  return /^[\w./:@+,-]+$/.test(local) ? local : `'${local.replaceAll("'", "'\\''")}'`;
}
