import type { ComponentChildren, VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { JsonObject } from "../../protocol/json.ts";
import { exampleOf } from "../form/example.ts";
import { Form } from "../form/form.tsx";
import { type FormDraft, jsonText, withText } from "../form/form-draft.ts";
import type { Completion } from "../form/form-tools.ts";
import { isObject } from "../form/path.ts";
import { plan } from "../form/plan.ts";
import { JsonEditor } from "../json-editor/json-editor.tsx";
import { useApp } from "../state/app.ts";
import type { RequestPaneProps } from "../state/pane-props.ts";
import { CallBar } from "./call-bar.tsx";
import { refusedNow, useCheck } from "./call-check.ts";

interface RequestFormProps extends RequestPaneProps {
  readonly schema: unknown;
  /** Shows the arguments as JSON instead of fields. */
  readonly asJson: boolean;
  readonly verb: string;
  /** The params of the call; undefined if it cannot be made. */
  paramsOf(value: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
  complete?(name: string, text: string): Promise<Completion>;
  readonly children?: ComponentChildren;
}

/** The arguments of a call as a form or as JSON, and the button that sends them. Both show the same draft. */
export function RequestForm(props: RequestFormProps): VNode {
  const { schema, asJson, verb, draft, onDraft, onCall, call, paramsOf, complete, children } = props;
  const { state, announce } = useApp();
  const field = useMemo(() => plan(schema), [schema]);
  const formDraft: FormDraft = draft;
  const check = useCheck(schema, formDraft, refusedNow(call, formDraft));
  const element = useRef<HTMLFormElement>(null);
  const update = (next: FormDraft) => onDraft({ ...next, value: isObject(next.value) ? next.value : {} });
  const isTextBroken = check.broken[0] === "";
  const isBare = field.kind === "json" && field.reason === "any object" && Object.keys(draft.value).length === 0;

  async function send(): Promise<void> {
    const params = await paramsOf(draft.value);
    if (params !== undefined) onCall(params);
  }

  async function submit(): Promise<void> {
    if (await check.attempt()) return send();
    announce("There are problems. Correct them, or send it anyway.");
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }

  function fillExample(): void {
    const example = exampleOf(field);
    if (isObject(example)) update({ value: example });
    else announce("There is no example for this schema.");
  }

  return (
    <form
      id="request"
      ref={element}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      aria-label="Arguments"
    >
      {asJson || isTextBroken ? (
        <>
          {!asJson && <p class="notice">The JSON cannot be read, so the form waits until it is corrected.</p>}
          <JsonEditor
            control={{ id: "request-json" }}
            label="Arguments as JSON"
            text={jsonText(formDraft)}
            field={field}
            onText={(text) => update(withText(formDraft, text))}
          />
        </>
      ) : isBare ? (
        <p class="notice">There are no declared arguments. The tab JSON can send some.</p>
      ) : (
        <Form
          id="request"
          field={field}
          draft={formDraft}
          onDraft={update}
          problems={check.shown}
          {...(complete !== undefined && { complete, lines: true })}
        />
      )}
      {children}
      <CallBar name={verb} check={check} disabled={!state.abilities.calls} onAnyway={() => void send()}>
        <button type="button" onClick={fillExample}>
          Example
        </button>
        <button type="button" onClick={() => update({ value: {} })}>
          Clear
        </button>
      </CallBar>
    </form>
  );
}
