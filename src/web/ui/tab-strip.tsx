import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { ErrorBoundary } from './error-boundary.tsx';
import { useScrollCue } from './use-scroll-cue.ts';

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
  aside?: ReactNode; // at the right end of the strip
}

/** A strip of tabs; below it the panel of the chosen one. A panel that breaks leaves the strip standing. */
export function TabStrip<Value extends string>({ label, tabs, value, onChange, aside }: TabStripProps<Value>) {
  const strip = useScrollCue<HTMLDivElement>();
  useEffect(() => {
    // The chosen tab is in sight, also where the strip is wider than the screen.
    strip.current?.querySelector(`[data-tab="${value}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [strip, value]);
  return (
    <Tabs
      value={value}
      onChange={(next) => {
        if (next !== null) onChange(next as Value);
      }}
      className="fl-tabs"
    >
      <div className={aside === undefined ? 'fl-tabs-head' : 'fl-tabs-head fl-tabs-with-aside'}>
        <Tabs.List aria-label={label} ref={strip}>
          {tabs.map((tab) => (
            <Tabs.Tab key={tab.value} value={tab.value} leftSection={tab.icon} data-tab={tab.value}>
              {tab.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {aside}
      </div>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value}>
          {tab.value === value ? <ErrorBoundary>{tab.panel}</ErrorBoundary> : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
