import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { expandParts, MAX_TEMPLATE_LENGTH, parseParts, type Variable } from "proffer/derived";
import type { JsonObject } from "../../protocol/json.ts";
import type { RequestPaneProps } from "../state/pane-props.ts";
import { visible } from "../text/visible.ts";
import { variablesSchema } from "./arguments-schema.ts";
import { RequestForm } from "./request-form.tsx";
import { Subscribe } from "./subscribe.tsx";
import { useComplete } from "./use-complete.ts";

type Parts = ReturnType<typeof parseParts>;

/** The variables of a URI template as a form, with the URI that they make. */
export function TemplateRequest(props: RequestPaneProps & { readonly asJson: boolean }): VNode {
  const { item, draft } = props;
  const parts = useMemo(() => partsOf(item.key), [item.key]);
  const schema = useMemo(() => variablesSchema(parts instanceof Error ? [] : variablesOf(parts)), [parts]);
  const complete = useComplete({ type: "ref/resource", uri: item.key }, draft.value);
  const uri = expand(item.key, parts, draft.value);
  const isUri = !(uri instanceof Error);
  return (
    <RequestForm
      {...props}
      schema={schema}
      verb="Read"
      complete={complete}
      paramsOf={() => (isUri ? { uri } : undefined)}
    >
      <p class={isUri ? "expanded" : "problem"} aria-live="polite">
        {isUri ? (
          <>
            <span class="quiet">reads</span> <output aria-label="Expanded URI">{visible(uri)}</output>
          </>
        ) : (
          visible(uri.message)
        )}
      </p>
      {isUri && <Subscribe uri={uri} />}
    </RequestForm>
  );
}

function partsOf(template: string): Parts | Error {
  try {
    return parseParts(template, MAX_TEMPLATE_LENGTH);
  } catch (error) {
    return error as Error;
  }
}

function variablesOf(parts: Parts): Variable[] {
  return parts.flatMap((part) => (typeof part === "string" ? [] : part.variables));
}

function expand(template: string, parts: Parts | Error, values: JsonObject): string | Error {
  if (parts instanceof Error) return parts;
  try {
    return expandParts(template, parts, values);
  } catch (error) {
    return error as Error;
  }
}
