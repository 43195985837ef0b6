import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../protocol/call.ts";
import type { Json, JsonObject } from "../../protocol/json.ts";
import { brokenParts, type FormDraft } from "../form/form-draft.ts";
import { isObject, valueAt } from "../form/path.ts";
import { isEqual } from "../form/read-schema.ts";
import type { App } from "../state/app.ts";
import { useApp } from "../state/app.ts";

interface Checked {
  readonly problems: readonly Problem[];
  readonly note?: string;
}

const UNCHECKED: Checked = { problems: [] };

export interface CallCheck extends Checked {
  /** What to show at the fields. */
  readonly shown: readonly Problem[];
  /** Pointers of what is not JSON. It cannot be sent at all. */
  readonly broken: readonly string[];
  /** Whether someone has tried to send it. */
  readonly attempted: boolean;
  /** Shows all problems; resolves to whether there are none. */
  attempt(): Promise<boolean>;
}

/** Asks Node where a value breaks a schema. */
export async function check({ api }: Pick<App, "api">, schema: unknown, value: Json): Promise<Checked> {
  if (!isObject(schema)) return UNCHECKED;
  try {
    return await api.post("check", { schema, value });
  } catch (error) {
    return { problems: [], note: `Only the server checks values: ${(error as Error).message}` };
  }
}

/** Checks what was typed. What is missing is shown only after an attempt to send it. */
export function useCheck(schema: unknown, draft: FormDraft, refused: readonly Problem[] = []): CallCheck {
  const app = useApp();
  const [checked, setChecked] = useState(UNCHECKED);
  const [attempted, setAttempted] = useState(false);
  const { value } = draft;
  const last = useRef(0);
  const run = async (): Promise<Checked> => {
    const number = ++last.current;
    const found = await check(app, schema, value);
    if (number === last.current) setChecked(found);
    return found;
  };
  useEffect(() => {
    void run();
  }, [app.api, schema, value]);
  const broken = brokenParts(draft);
  const isRefused = (own: Problem) => refused.some((other) => isEqual(other, own));
  const own = checked.problems.filter(
    (problem) => (attempted || isPresent(value, problem.pointer)) && !isRefused(problem),
  );
  const server = refused.map(({ pointer, message }) => ({ pointer, message: `the server says: ${message}` }));
  return {
    ...checked,
    shown: [...own, ...server],
    broken,
    attempted,
    async attempt() {
      setAttempted(true);
      return (await run()).problems.length === 0 && broken.length === 0;
    },
  };
}

function isPresent(value: Json, pointer: string): boolean {
  const tokens = pointer.split("/").slice(1);
  let here: Json | undefined = value;
  for (const token of tokens) {
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    here = valueAt(here, [Array.isArray(here) ? Number(name) : name]);
  }
  return tokens.length > 0 && here !== undefined;
}

/** The complaints of the server about arguments that are still the ones in the form. */
export function refusedNow(
  call: { readonly refused?: readonly Problem[]; readonly params: JsonObject } | undefined,
  draft: FormDraft,
): readonly Problem[] {
  if (call?.refused === undefined || !isEqual(call.params.arguments ?? {}, draft.value)) return [];
  return call.refused;
}
