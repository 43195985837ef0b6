import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { JsonObject } from "../../protocol/json.ts";
import { isObject } from "../form/path.ts";
import { listOf, stringOf } from "../form/read-schema.ts";
import { TabPanel, Tabs } from "../shell/tabs.tsx";
import { visible } from "../text/visible.ts";
import { ContentsView } from "./contents-view.tsx";

/** The contents that reading a resource returned; several as tabs. */
export function ResourceResult({ result }: { readonly result: JsonObject }): VNode {
  const contents = listOf(result.contents).filter(isObject);
  const [chosen, setChosen] = useState("0");
  const [only] = contents;
  if (only === undefined) return <p>The server returned no contents.</p>;
  if (contents.length === 1) return <ContentsView contents={only} label="Contents" />;
  const tabs = contents.map(({ uri }, index) => ({
    id: String(index),
    label: visible(stringOf(uri) ?? `${index + 1}`),
  }));
  const shown = contents[Number(chosen)] ?? only;
  return (
    <>
      <Tabs name="contents" label="Contents" tabs={tabs} chosen={chosen} onChoose={setChosen} />
      <TabPanel name="contents" chosen={chosen}>
        <ContentsView key={chosen} contents={shown} label="Contents" />
      </TabPanel>
    </>
  );
}
