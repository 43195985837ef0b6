import type { ComponentChildren, VNode } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { CallState, Item, JsonObject } from "../../protocol/data.ts";
import { exampleOf } from "../form/example.ts";
import type { Completion } from "../form/field-row.tsx";
import { Form } from "../form/form.tsx";
import { type FormDraft, jsonText, withText } from "../form/form-draft.ts";
import { JsonEditor } from "../form/json-editor.tsx";
import { plan } from "../form/plan.ts";
import { Button, instead, modifier, Problems, SafeLink, webAddress } from "../parts/elements.tsx";
import { TabPanel, Tabs, useTab } from "../parts/tabs.tsx";
import { useApp, useFetched } from "../state/app.ts";
import { itemId, paramsFor, promptSchema, templateSchema } from "../state/calls.ts";
import { draftOf, type ItemDraft } from "../state/drafts.ts";
import { liveKey } from "../state/inspector-state.ts";
import { count, size, visible } from "../text/format.ts";
import { isObject } from "../text/json.ts";
import { type CallCheck, refusedNow, useCheck } from "./call-check.ts";
import { ModelTab, SchemaTab } from "./description.tsx";
import { SourceTab } from "./source-tab.tsx";

interface RequestPaneProps {
  readonly item: Item;
  /** Makes the call. A template passes its expanded URI. */
  readonly onCall: (params: JsonObject) => void;
  /** The call that the other pane shows. */
  readonly call: CallState | undefined;
}

type TabId = "form" | "json" | "schema" | "source" | "model";

/**
 * Shows the request: its arguments as a form or as JSON, and the description of its item. The pane has one
 * `<form id="request">`: the key of a call submits it, wherever the focus is.
 */
export function RequestPane(props: RequestPaneProps): VNode {
  const { item } = props;
  const { state, drafts } = useApp();
  const hasForm = item.kind !== "resource";
  const tabs: { id: TabId; label: string }[] = [{ id: "form", label: hasForm ? "Form" : "Read" }];
  if (hasForm) tabs.push({ id: "json", label: "JSON" });
  tabs.push({ id: "schema", label: item.kind === "tool" ? "Schema" : "Description" });
  if (state.abilities.source) tabs.push({ id: "source", label: "Source ↔ schema" });
  if (item.kind === "tool" && state.profiles.length > 0) tabs.push({ id: "model", label: "Model’s view" });
  const [shown, choose] = useTab("request", tabs, "form");
  const Request = item.kind === "template" ? TemplateRequest : hasForm ? NamedRequest : ResourceRequest;
  return (
    <>
      <Tabs name="request" label="What is sent" tabs={tabs} chosen={shown} onChoose={choose} />
      <TabPanel name="request" chosen={shown}>
        {(shown === "form" || shown === "json") && (
          <Request {...props} draft={draftOf(drafts, itemId(item))} asJson={shown === "json"} />
        )}
        {shown === "schema" && <SchemaTab item={item} />}
        {shown === "source" && <SourceTab item={item} />}
        {shown === "model" && <ModelTab item={item} />}
      </TabPanel>
    </>
  );
}

interface RequestProps extends RequestPaneProps {
  readonly draft: ItemDraft;
  /** Shows the arguments as JSON instead of fields. */
  readonly asJson: boolean;
}

/** A resource: the facts about it, and the button that reads it. */
function ResourceRequest({ item, onCall }: RequestProps): VNode {
  const { state } = useApp();
  const { mimeType, size: bytes } = item.description;
  return (
    <form id="request" aria-label="Read" onSubmit={instead(() => onCall({ uri: item.key }))}>
      <p>
        {webAddress(item.key) === undefined ? <code>{visible(item.key)}</code> : <SafeLink address={item.key} />}{" "}
        <span class="quiet">
          {typeof mimeType === "string" && visible(mimeType)} {typeof bytes === "number" && size(bytes)}
        </span>
      </p>
      <div class="buttons">
        <button type="submit" disabled={!state.abilities.calls}>
          Read <kbd>{modifier()}↵</kbd>
        </button>
        <Subscribe uri={item.key} />
      </div>
    </form>
  );
}

/** A tool or a prompt. Only the arguments of prompts can be completed. */
function NamedRequest(props: RequestProps): VNode {
  const { item, draft } = props;
  const { kind, key, description } = item;
  const isPrompt = kind === "prompt";
  const prompt = useMemo(() => promptSchema(description), [description]);
  const complete = useComplete({ type: "ref/prompt", name: key }, draft.value);
  return (
    <RequestForm
      {...props}
      schema={isPrompt ? prompt : description.inputSchema}
      verb={isPrompt ? "Get" : "Call"}
      complete={isPrompt ? complete : undefined}
      paramsOf={(value) => paramsFor(item, value)}
    />
  );
}

/** The variables of a URI template as a form, with the URI that they make. */
function TemplateRequest(props: RequestProps): VNode {
  const { item, draft } = props;
  const { api } = useApp();
  const schema = useMemo(() => templateSchema(item.key), [item.key]);
  const complete = useComplete({ type: "ref/resource", uri: item.key }, draft.value);
  const expand = (values: JsonObject) => api.post("expand", { template: item.key, values });
  const expanded = useFetched(() => expand(draft.value), [api, item.key, draft.value]);

  async function paramsOf(values: JsonObject): Promise<JsonObject | undefined> {
    const now = await expand(values);
    return "uri" in now ? { uri: now.uri } : undefined;
  }

  return (
    <RequestForm {...props} schema={schema} verb="Read" complete={complete} paramsOf={paramsOf}>
      {expanded === undefined || expanded instanceof Error ? null : "uri" in expanded ? (
        <>
          <p class="expanded">
            <span class="quiet">reads</span> <output aria-label="Expanded URI">{visible(expanded.uri)}</output>
          </p>
          <Subscribe uri={expanded.uri} />
        </>
      ) : (
        <p class="problem">{visible(expanded.problem)}</p>
      )}
    </RequestForm>
  );
}

/** Subscribes to a resource. Its contents are read again after each update and shown in the other pane. */
function Subscribe({ uri }: { readonly uri: string }): VNode | null {
  const { state, revision, offer, send } = useApp();
  const resources = offer?.server.capabilities.resources;
  if (!state.abilities.calls || !isObject(resources) || resources.subscribe !== true) return null;
  const live = state.live.get(liveKey(revision, uri));
  const name = live === undefined ? "subscribe" : "unsubscribe";
  return (
    <span class="subscribe">
      <Button
        label={live === undefined ? "Subscribe" : "Unsubscribe"}
        aria-pressed={live !== undefined}
        onClick={() => send(name, { revision, uri })}
      />
      {live !== undefined && <span class="quiet"> live · {count(live.updates, "update")}</span>}
    </span>
  );
}

/** Asks the server for values of an argument. After a refusal it asks no more: not every server has completion. */
function useComplete(ref: JsonObject, values: JsonObject): (name: string, text: string) => Promise<Completion> {
  const { api, revision } = useApp();
  const isRefused = useRef(false);
  return async (name, value) => {
    if (isRefused.current) throw new Error("The server does not complete arguments.");
    const others = Object.entries(values).filter(([other, value]) => other !== name && typeof value === "string");
    const known = Object.fromEntries(others) as { [name: string]: string };
    try {
      return await api.post("complete", { revision, ref, name, value, known });
    } catch (error) {
      isRefused.current = true;
      throw error;
    }
  };
}

interface RequestFormProps extends RequestProps {
  readonly schema: unknown;
  readonly verb: string;
  /** The params of the call; undefined if it cannot be made. */
  paramsOf(value: JsonObject): JsonObject | undefined | Promise<JsonObject | undefined>;
  readonly complete: ReturnType<typeof useComplete> | undefined;
  readonly children?: ComponentChildren;
}

/** The arguments of a call as a form or as JSON, and the button that sends them. Both show the same draft. */
function RequestForm(props: RequestFormProps): VNode {
  const { item, schema, asJson, verb, draft, onCall, call, paramsOf, complete, children } = props;
  const { announce, setDraft } = useApp();
  const field = useMemo(() => plan(schema), [schema]);
  const check = useCheck(schema, draft, refusedNow(call, draft));
  const element = useRef<HTMLFormElement>(null);
  const update = (next: FormDraft) =>
    setDraft(itemId(item), { ...next, value: isObject(next.value) ? next.value : {} });
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
    <form id="request" ref={element} noValidate onSubmit={instead(submit)} aria-label="Arguments">
      {asJson || isTextBroken ? (
        <>
          {!asJson && <p class="notice">The JSON cannot be read, so the form waits until it is corrected.</p>}
          <JsonEditor
            control={{ id: "request-json" }}
            label="Arguments as JSON"
            text={jsonText(draft)}
            field={field}
            onText={(text) => update(withText(draft, text))}
          />
        </>
      ) : isBare ? (
        <p class="notice">There are no declared arguments. The tab JSON can send some.</p>
      ) : (
        <Form
          id="request"
          field={field}
          draft={draft}
          onDraft={update}
          problems={check.shown}
          complete={complete}
          lines={complete !== undefined}
        />
      )}
      {children}
      <CallBar verb={verb} check={check} onAnyway={() => void send()}>
        <Button label="Example" onClick={fillExample} />
        <Button label="Clear" onClick={() => update({ value: {} })} />
      </CallBar>
    </form>
  );
}

interface CallBarProps {
  readonly verb: string;
  readonly check: CallCheck;
  /** Sends it although there are problems. */
  onAnyway(): void;
  readonly children: ComponentChildren;
}

/** The button that sends, and the problems. It stays enabled: a server must be tested with bad input, too. */
function CallBar({ verb, check, onAnyway, children }: CallBarProps): VNode {
  const { shown, problems, broken, attempted, note } = check;
  const isOff = !useApp().state.abilities.calls;
  const isWrong = problems.length > 0 && (attempted || shown.length > 0);
  return (
    <div class="call-bar">
      {broken.length > 0 && attempted && (
        <p class="problem" role="alert">
          {broken[0] === "" ? "The JSON" : `The JSON of ${visible(broken[0] ?? "")}`} cannot be read. Correct it first.
        </p>
      )}
      {isWrong && <Problems title="Problems" problems={attempted ? problems : shown} />}
      <div class="buttons">
        <button type="submit" disabled={isOff}>
          {verb} <kbd>{modifier()}↵</kbd>
        </button>
        {isWrong && broken.length === 0 && <Button label="Send anyway" disabled={isOff} onClick={onAnyway} />}
        {children}
      </div>
      {note !== undefined && <p class="quiet">{visible(note)}</p>}
    </div>
  );
}
