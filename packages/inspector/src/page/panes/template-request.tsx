import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { JsonObject } from "../../protocol/json.ts";
import { useApp } from "../state/app.ts";
import type { RequestPaneProps } from "../state/pane-props.ts";
import { visible } from "../text/visible.ts";
import { templateSchema } from "./arguments-schema.ts";
import { RequestForm } from "./request-form.tsx";
import { Subscribe } from "./subscribe.tsx";
import { useComplete } from "./use-complete.ts";
import { useFetched } from "./use-fetched.ts";

/** The variables of a URI template as a form, with the URI that they make. */
export function TemplateRequest(props: RequestPaneProps & { readonly asJson: boolean }): VNode {
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
