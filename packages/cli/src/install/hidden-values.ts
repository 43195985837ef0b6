import { isSecretName } from "../terminal/redact.ts";

/** A value of a configuration that is not shown, with its key. */
interface Secret {
  readonly key: string;
  readonly value: string;
}

/** The keys of objects whose values may all be secrets. */
const SECRET_OBJECTS = new Set(["env", "envs", "environment", "headers"]);
/** A shorter value occurs in other text by chance, and is hidden only behind its key. */
const MIN_LENGTH = 8;
const HIDDEN = "***";

/**
 * Returns a function that hides secrets in a line of a configuration file: environment variables, headers, and other
 * values whose key or flag names a secret. The output of `install` ends up in logs and in recordings of a screen.
 */
export function createHider(...configurations: readonly unknown[]): (line: string) => string {
  const secrets = configurations.flatMap((value) => [...findSecrets(value, false)]);
  return (line) => secrets.reduce(hide, line);
}

function* findSecrets(value: unknown, isSecret: boolean): Generator<Secret> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      yield* findSecrets(each, isSecret);
      if (typeof each === "string") yield* findInArgument(String(value[index - 1] ?? ""), each);
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === "object") yield* findSecrets(each, isSecret || SECRET_OBJECTS.has(key));
      else if (isSecret || isSecretName(key)) yield { key, value: String(each) };
    }
  }
}

/** Finds the value in `--token=value`, or in `--token value`. */
function* findInArgument(before: string, argument: string): Generator<Secret> {
  const [, flag = "", value = ""] = /^-*([^=]*)=(.*)$/s.exec(argument) ?? [];
  if (isSecretName(flag)) yield { key: `${flag}=`, value };
  else if (before.startsWith("-") && isSecretName(before)) yield { key: "", value: argument };
}

function hide(line: string, { key, value }: Secret): string {
  if (value === "") return line;
  const isLong = value.length >= MIN_LENGTH;
  if (!isLong && key === "") return line.replaceAll(JSON.stringify(value), JSON.stringify(HIDDEN));
  if (!isLong && !line.includes(key)) return line;
  const at = isLong ? 0 : line.indexOf(key) + key.length;
  // A value of several lines is hidden line by line.
  const forms = [value, JSON.stringify(value).slice(1, -1), ...value.split("\n").filter((part) => part !== "")];
  return line.slice(0, at) + forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), line.slice(at));
}
