import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Ask, Problem } from "../../protocol/call.ts";
import { Form } from "../form/form.tsx";
import { type FormDraft, jsonText, withText } from "../form/form-draft.ts";
import { plan } from "../form/plan.ts";
import { stringOf } from "../form/read-schema.ts";
import { JsonEditor } from "../json-editor/json-editor.tsx";
import { JsonTree } from "../result/json-tree.tsx";
import { webAddress } from "../result/safe-link.tsx";
import { visible } from "../text/visible.ts";

interface AskProps {
  readonly ask: Ask;
  readonly state: FormDraft;
  readonly problems: readonly Problem[];
  readonly focus: boolean;
  onState(state: FormDraft): void;
}

const SAMPLE = {
  role: "assistant",
  content: { type: "text", text: "An answer." },
  model: "inspector",
  stopReason: "endTurn",
};
const ROOTS = { roots: [{ uri: "file:///project", name: "project" }] };

export function initialAsk(ask: Ask): FormDraft {
  const { suggestion } = ask;
  if (suggestion !== undefined && "result" in suggestion) return { value: suggestion.result };
  if (suggestion?.action === "accept") return { value: suggestion.content ?? {} };
  if (ask.method === "elicitation/create") return { value: {} };
  return { value: ask.method === "roots/list" ? ROOTS : SAMPLE };
}

/** One question: a form, an address to open, or JSON for the deprecated kinds. */
export function AskFields(props: AskProps): VNode {
  const { ask } = props;
  if (ask.method !== "elicitation/create") return <DeprecatedAsk {...props} />;
  const message = stringOf(ask.params.message) ?? "";
  return (
    <>
      <h3>The server asks: {visible(message)}</h3>
      {ask.params.mode === "url" ? <UrlAsk {...props} /> : <FormAsk {...props} />}
    </>
  );
}

function FormAsk({ ask, state, problems, focus, onState }: AskProps): VNode {
  const schema = ask.params.requestedSchema;
  const field = useMemo(() => plan(schema), [schema]);
  return (
    <Form id={`ask-${ask.id}`} field={field} draft={state} onDraft={onState} problems={problems} focus={focus} lines />
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

function DeprecatedAsk({ ask, state, focus, onState }: AskProps): VNode {
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
        text={jsonText(state)}
        onText={(text) => onState(withText(state, text))}
      />
    </div>
  );
}
