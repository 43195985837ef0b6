import type { ComponentChildren, VNode } from "preact";
import { moveFocus } from "./roving.ts";

export interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ComponentChildren;
}

interface TabsProps<Id extends string> {
  /** Unique in the page: names the elements. */
  readonly name: string;
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

/** A list of tabs. The chosen panel is drawn by the caller in a `TabPanel` of the same name. */
export function Tabs<Id extends string>({ name, label, tabs, chosen, onChoose }: TabsProps<Id>): VNode {
  return (
    <div role="tablist" aria-label={label} class="tabs" data-tabs={name} onKeyDown={(event) => moveFocus(event, true)}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${name}-tab-${tab.id}`}
          aria-selected={tab.id === chosen}
          aria-controls={tab.id === chosen ? `${name}-panel` : undefined}
          tabIndex={tab.id === chosen ? 0 : -1}
          data-roving
          onClick={() => onChoose(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}

export function TabPanel(props: {
  readonly name: string;
  readonly chosen: string;
  readonly children: ComponentChildren;
}): VNode {
  const { name, chosen, children } = props;
  return (
    <div role="tabpanel" id={`${name}-panel`} aria-labelledby={`${name}-tab-${chosen}`} class="tab-panel">
      {children}
    </div>
  );
}
