import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';

/** One tab: its value, the label on it, and the panel it shows. */
export interface Tab<Value extends string = string> {
  value: Value;
  label: string;
  icon?: ReactNode;
  panel: ReactNode;
}

/** See `TabStrip`. */
export interface TabStripProps<Value extends string> {
  label: string; // names the strip for screen readers
  tabs: readonly Tab<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** A strip of tabs; below it the panel of the chosen one. The strip scrolls sideways where it does not fit. */
export function TabStrip<Value extends string>({ label, tabs, value, onChange }: TabStripProps<Value>) {
  return (
    <Tabs
      value={value}
      onChange={(next) => {
        if (next !== null) onChange(next as Value);
      }}
      className="fl-tabs"
    >
      <Tabs.List aria-label={label}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value} leftSection={tab.icon} data-tab={tab.value}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value}>
          {tab.value === value ? tab.panel : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
