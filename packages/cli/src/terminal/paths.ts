/** Whether a text is a relative path for sure: it has a folder, or the ending of a file that servers keep. */
export function isRelativePath(value: unknown): value is string {
  if (typeof value !== "string" || !/^[\w.][\w./\\ -]*$/.test(value) || /^[A-Za-z]:/.test(value)) return false;
  return /^\.\.?[/\\]/.test(value) || /[\w-]\.(?:db3?|sqlite3?|jsonl?|csv|txt|log|pem|ya?ml|toml|duckdb)$/i.test(value);
}
