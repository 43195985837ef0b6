import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Answer, Ask, Problem } from "../../protocol/data.ts";
import { Form } from "../form/form.tsx";
import { brokenParts, type FormDraft, jsonText, withText } from "../form/form-draft.ts";
import { JsonEditor } from "../form/json-editor.tsx";
import { plan } from "../form/plan.ts";
import { Button, instead, Problems, webAddress } from "../parts/elements.tsx";
import { JsonTree } from "../result/json-tree.tsx";
import { useApp } from "../state/app.ts";
import { visible } from "../text/format.ts";
import { isObject, stringOf } from "../text/json.ts";
import { check } from "./call-check.ts";

/** The open questions of a run: one form, answered together. */
export function OpenAsks({ asks }: { readonly asks: readonly Ask[] }): VNode {
  const app = useApp();
  const { send, state } = app;
  const [drafts, setDrafts] = useState<{ readonly [id: string]: FormDraft }>({});
  const [problems, setProblems] = useState<{ readonly [id: string]: readonly Problem[] }>({});
  const draftOf = (ask: Ask) => drafts[ask.id] ?? initialAsk(ask);

  const answer = (ask: Ask, answer: Answer) => send("answer", { ask: ask.id, answer });

  async function answerAll(anyway: boolean): Promise<void> {
    const found = await Promise.all(asks.map((ask) => problemsOf(ask, draftOf(ask))));
    setProblems(Object.fromEntries(asks.map(({ id }, index) => [id, found[index] ?? []])));
    const isBroken = asks.some((ask) => brokenParts(draftOf(ask)).length > 0);
    if (isBroken || (!anyway && found.some((list) => list.length > 0))) return;
    for (const ask of asks) answer(ask, answerOf(ask, draftOf(ask)));
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
      onSubmit={instead(() => answerAll(false))}
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
            draft={draftOf(ask)}
            problems={problems[ask.id] ?? []}
            focus={index === 0}
            onDraft={(next) => {
              setDrafts((known) => ({ ...known, [ask.id]: next }));
              setProblems((known) => ({ ...known, [ask.id]: [] }));
            }}
          />
          {/* Beside the button: the field may be far above it. */}
          <Problems title="Problems" problems={problems[ask.id] ?? []} />
          {ask.method === "elicitation/create" && (
            <p class="buttons">
              {asks.length === 1 && <SubmitButton asks={asks} />}
              <Button
                label="Decline"
                disabled={!state.abilities.calls}
                onClick={() => answer(ask, { action: "decline" })}
              />
              <Button
                label="Cancel"
                disabled={!state.abilities.calls}
                onClick={() => answer(ask, { action: "cancel" })}
              />
            </p>
          )}
        </section>
      ))}
      {(asks.length > 1 || asks[0]?.method !== "elicitation/create") && <SubmitButton asks={asks} />}
      {isWrong && <Button label="Send anyway" onClick={() => void answerAll(true)} />}
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

interface AskProps {
  readonly ask: Ask;
  readonly draft: FormDraft;
  readonly problems: readonly Problem[];
  readonly focus: boolean;
  onDraft(draft: FormDraft): void;
}

const SAMPLE = {
  role: "assistant",
  content: { type: "text", text: "An answer." },
  model: "inspector",
  stopReason: "endTurn",
};
const ROOTS = { roots: [{ uri: "file:///project", name: "project" }] };

function initialAsk(ask: Ask): FormDraft {
  const { suggestion } = ask;
  if (suggestion !== undefined && "result" in suggestion) return { value: suggestion.result };
  if (suggestion?.action === "accept") return { value: suggestion.content ?? {} };
  if (ask.method === "elicitation/create") return { value: {} };
  return { value: ask.method === "roots/list" ? ROOTS : SAMPLE };
}

/** One question: a form, an address to open, or JSON for the deprecated kinds. */
function AskFields(props: AskProps): VNode {
  const { id, method, params } = props.ask;
  const schema = params.requestedSchema;
  const field = useMemo(() => plan(schema), [schema]);
  if (method !== "elicitation/create") return <DeprecatedAsk {...props} />;
  return (
    <>
      <h3>The server asks: {visible(stringOf(params.message) ?? "")}</h3>
      {params.mode === "url" ? <UrlAsk {...props} /> : <Form {...props} id={`ask-${id}`} field={field} lines />}
    </>
  );
}

/** The person must see whose page it is before it opens. */
function UrlAsk({ ask, focus }: AskProps): VNode {
  const address = stringOf(ask.params.url) ?? "";
  const url = webAddress(address);
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (focus) link.current?.focus();
  }, [focus]);
  if (url === undefined) {
    return (
      <p class="problem">
        This address cannot be opened: <code>{visible(address)}</code>
      </p>
    );
  }
  return (
    <>
      <p class="host">{url.host}</p>
      <p>
        <code>{visible(address)}</code>
      </p>
      <a ref={link} href={url.href} target="_blank" rel="noopener noreferrer" class="button">
        Open {url.host} in a new tab
      </a>
    </>
  );
}

function DeprecatedAsk({ ask, draft, focus, onDraft }: AskProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus) box.current?.querySelector("textarea")?.focus();
  }, [focus]);
  return (
    <div ref={box}>
      <h3>
        The server sends <code>{ask.method}</code> <span class="quiet">deprecated in 2026-07-28</span>
      </h3>
      <JsonTree value={ask.params} label="What it asks" />
      <JsonEditor
        control={{ id: `ask-${ask.id}` }}
        label="Answer as JSON"
        text={jsonText(draft)}
        onText={(text) => onDraft(withText(draft, text))}
      />
    </div>
  );
}
