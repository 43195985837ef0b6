import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Answer, Ask, Problem } from "../../protocol/call.ts";
import { brokenParts, type FormDraft } from "../form/form-draft.ts";
import { isObject } from "../form/path.ts";
import { Problems } from "../result/problems.tsx";
import { useApp } from "../state/app.ts";
import { AskFields, initialAsk } from "./ask-fields.tsx";
import { check } from "./call-check.ts";

/** The open questions of a run: one form, answered together. */
export function OpenAsks({ asks }: { readonly asks: readonly Ask[] }): VNode {
  const app = useApp();
  const { api, report, state } = app;
  const [states, setStates] = useState<{ readonly [id: string]: FormDraft }>({});
  const [problems, setProblems] = useState<{ readonly [id: string]: readonly Problem[] }>({});
  const stateOf = (ask: Ask) => states[ask.id] ?? initialAsk(ask);

  function send(ask: Ask, answer: Answer): void {
    api.post("answer", { ask: ask.id, answer }).catch(report);
  }

  async function answerAll(anyway: boolean): Promise<void> {
    const found = await Promise.all(asks.map((ask) => problemsOf(ask, stateOf(ask))));
    setProblems(Object.fromEntries(asks.map(({ id }, index) => [id, found[index] ?? []])));
    const isBroken = asks.some((ask) => brokenParts(stateOf(ask)).length > 0);
    if (isBroken || (!anyway && found.some((list) => list.length > 0))) return;
    for (const ask of asks) send(ask, answerOf(ask, stateOf(ask)));
  }

  async function problemsOf({ method, params }: Ask, { value }: FormDraft): Promise<readonly Problem[]> {
    if (method !== "elicitation/create" || params.mode === "url") return [];
    return (await check(app, params.requestedSchema, value)).problems;
  }

  const isWrong = asks.some(({ id }) => (problems[id] ?? []).length > 0);
  return (
    <form
      class="ask"
      noValidate
      aria-label={asks.length === 1 ? "Question" : "Questions"}
      onSubmit={(event) => {
        event.preventDefault();
        void answerAll(false);
      }}
      onKeyDown={(event) => {
        // The key of a call answers while the focus is here.
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        void answerAll(false);
      }}
    >
      {asks.map((ask, index) => (
        <section key={ask.id}>
          <AskFields
            ask={ask}
            state={stateOf(ask)}
            problems={problems[ask.id] ?? []}
            focus={index === 0}
            onState={(next) => {
              setStates((known) => ({ ...known, [ask.id]: next }));
              setProblems((known) => ({ ...known, [ask.id]: [] }));
            }}
          />
          {/* Beside the button: the field may be far above it. */}
          <Problems title="Problems" problems={problems[ask.id] ?? []} />
          {ask.method === "elicitation/create" && (
            <p class="buttons">
              {asks.length === 1 && <SubmitButton asks={asks} />}
              <button type="button" disabled={!state.abilities.calls} onClick={() => send(ask, { action: "decline" })}>
                Decline
              </button>
              <button type="button" disabled={!state.abilities.calls} onClick={() => send(ask, { action: "cancel" })}>
                Cancel
              </button>
            </p>
          )}
        </section>
      ))}
      {(asks.length > 1 || asks[0]?.method !== "elicitation/create") && <SubmitButton asks={asks} />}
      {isWrong && (
        <button type="button" onClick={() => void answerAll(true)}>
          Send anyway
        </button>
      )}
    </form>
  );
}

function SubmitButton({ asks }: { readonly asks: readonly Ask[] }): VNode {
  return <button type="submit">{asks.length === 1 ? "Answer ↵" : `Answer all ${asks.length} ↵`}</button>;
}

function answerOf(ask: Ask, { value }: FormDraft): Answer {
  const content = isObject(value) ? value : {};
  if (ask.method !== "elicitation/create") return { result: content };
  return ask.params.mode === "url" ? { action: "accept" } : { action: "accept", content };
}
