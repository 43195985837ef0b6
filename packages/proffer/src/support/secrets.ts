/** In characters. A shorter value occurs in other text by chance. */
const MIN_LENGTH = 4;

/** The registered symbol is shared by all copies of Proffer in a process: the server's module may have its own copy. */
const SECRETS = Symbol.for("proffer.secrets");

type Holder = { [SECRETS]?: Set<string> };

/** Replaces a value in logs and error messages of this process from now on. */
export function hideSecret(value: string): void {
  if (value.length < MIN_LENGTH) return;
  const holder = globalThis as Holder;
  holder[SECRETS] ??= new Set();
  // The second form is the value inside of JSON.
  holder[SECRETS].add(value).add(JSON.stringify(value).slice(1, -1));
}

/** Returns a text without the hidden values. */
export function withoutSecrets(text: string): string {
  let shown = text;
  for (const secret of (globalThis as Holder)[SECRETS] ?? []) shown = shown.replaceAll(secret, "[redacted]");
  return shown;
}
