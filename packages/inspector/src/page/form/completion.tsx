import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visible } from "../text/visible.ts";
import { type Completion, type Placed, useForm } from "./form-tools.ts";

const DELAY = 150;
const MAX_SHOWN = 100;

/** Asks the server for values while a person types; only the last answer counts. */
export function useCompletion({ path }: Placed): { found: Completion | undefined; ask(text: string): void } {
  const form = useForm();
  const [found, setFound] = useState<Completion>();
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const [name] = path;
  const { complete } = form;
  if (complete === undefined || typeof name !== "string" || path.length !== 1)
    return { found: undefined, ask: () => {} };
  return {
    found,
    ask(text) {
      clearTimeout(timer.current);
      const number = ++last.current;
      timer.current = setTimeout(() => {
        void complete(name, text).then(
          (answer) => number === last.current && setFound(answer),
          () => number === last.current && setFound(undefined),
        );
      }, DELAY);
    },
  };
}

export function CompletionList({ id, found }: { readonly id: string; readonly found: Completion }): VNode {
  const { values, total, hasMore = false } = found;
  const shown = values.slice(0, MAX_SHOWN);
  const more = hasMore ? " or more" : "";
  return (
    <>
      <datalist id={id}>
        {shown.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <p class="about">
        {shown.length} of {total ?? values.length}
        {more} suggested: {visible(shown.slice(0, 5).join(", "))}
      </p>
    </>
  );
}
