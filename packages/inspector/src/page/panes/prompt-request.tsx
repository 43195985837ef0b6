import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { RequestPaneProps } from "../state/pane-props.ts";
import { promptSchema } from "./arguments-schema.ts";
import { RequestForm } from "./request-form.tsx";
import { useComplete } from "./use-complete.ts";

export function PromptRequest(props: RequestPaneProps & { readonly asJson: boolean }): VNode {
  const { item, draft } = props;
  const schema = useMemo(() => promptSchema(item.description), [item.description]);
  const complete = useComplete({ type: "ref/prompt", name: item.key }, draft.value);
  return (
    <RequestForm
      {...props}
      schema={schema}
      verb="Get"
      complete={complete}
      paramsOf={(value) => ({ name: item.key, arguments: value })}
    />
  );
}
