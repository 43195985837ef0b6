import { useEffect, useRef, useState } from "preact/hooks";
import type { Api } from "../../protocol/api.ts";
import type { Json, JsonObject, Problem } from "../../protocol/data.ts";
import { brokenParts, type FormDraft } from "../form/form-draft.ts";
import { type App, useApp } from "../state/app.ts";
import { isEqual, isObject, memberOf, tokensOf } from "../text/json.ts";

type Checked = Api["check"]["out"];

const UNCHECKED: Checked = { problems: [] };

export interface CallCheck extends Checked {
  /** The problems to show at the fields. */
  readonly shown: readonly Problem[];
  /** Pointers of texts that are not JSON. They cannot be sent at all. */
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

/** Checks the arguments of a form. Missing ones are shown only after an attempt to send them. */
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
  let here: Json | undefined = value;
  for (const name of tokensOf(pointer)) here = memberOf(here, Array.isArray(here) ? Number(name) : name);
  return pointer !== "" && here !== undefined;
}

/** The complaints of the server about arguments that are still the ones in the form. */
export function refusedNow(
  call: { readonly refused?: readonly Problem[]; readonly params: JsonObject } | undefined,
  draft: FormDraft,
): readonly Problem[] {
  if (call?.refused === undefined || !isEqual(call.params.arguments ?? {}, draft.value)) return [];
  return call.refused;
}
