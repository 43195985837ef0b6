import type { VNode } from "preact";
import { TabPanel, Tabs } from "../shell/tabs.tsx";
import { useTab } from "../shell/use-tab.ts";
import { useApp } from "../state/app.ts";
import type { RequestPaneProps } from "../state/pane-props.ts";
import { ModelTab } from "./model-tab.tsx";
import { PromptRequest } from "./prompt-request.tsx";
import { RequestForm } from "./request-form.tsx";
import { ResourceRequest } from "./resource-request.tsx";
import { SchemaTab } from "./schema-tab.tsx";
import { SourceTab } from "./source-tab.tsx";
import { TemplateRequest } from "./template-request.tsx";

type TabId = "form" | "json" | "schema" | "source" | "model";

/** Shows what is sent. */
export function RequestPane(props: RequestPaneProps): VNode {
  const { item } = props;
  const { state } = useApp();
  const hasForm = item.kind !== "resource";
  const tabs: { id: TabId; label: string }[] = [
    { id: "form", label: hasForm ? "Form" : "Read" },
    ...(hasForm ? [{ id: "json" as const, label: "JSON" }] : []),
    { id: "schema", label: item.kind === "tool" ? "Schema" : "Description" },
    ...(state.abilities.source ? [{ id: "source" as const, label: "Source ↔ schema" }] : []),
    ...(item.kind === "tool" && state.profiles.length > 0
      ? [{ id: "model" as const, label: "What the model sees" }]
      : []),
  ];
  const [shown, choose] = useTab("request", tabs, "form");
  return (
    <>
      <Tabs name="request" label="What is sent" tabs={tabs} chosen={shown} onChoose={choose} />
      <TabPanel name="request" chosen={shown}>
        {(shown === "form" || shown === "json") && <Sender {...props} asJson={shown === "json"} />}
        {shown === "schema" && <SchemaTab item={item} />}
        {shown === "source" && <SourceTab item={item} />}
        {shown === "model" && <ModelTab item={item} />}
      </TabPanel>
    </>
  );
}

function Sender(props: RequestPaneProps & { readonly asJson: boolean }): VNode {
  const { item } = props;
  switch (item.kind) {
    case "tool":
      return (
        <RequestForm
          {...props}
          schema={item.description.inputSchema}
          verb="Call"
          paramsOf={(value) => ({ name: item.key, arguments: value })}
        />
      );
    case "prompt":
      return <PromptRequest {...props} />;
    case "template":
      return <TemplateRequest {...props} />;
    case "resource":
      return <ResourceRequest {...props} />;
  }
}
