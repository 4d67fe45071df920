import type { StrategyKind } from '#engine/strategy/strategy.ts';
import { Textarea, TextInput } from '@mantine/core';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { SelectBox } from '../../../ui/select-box.tsx';
import { useRulesEditor } from './rules-editor.ts';

const kinds: readonly StrategyKind[] = ['trend', 'momentum', 'breakout', 'range', 'volatility', 'pullback', 'intraday', 'benchmark'];

/** The name of the rules, and what their maker says of them. */
export function AboutPanel() {
  const { document, readOnly, edit, faults } = useRulesEditor();
  const set = <Name extends 'title' | 'kind' | 'description' | 'losesWhen'>(name: Name, value: (typeof document)[Name]) =>
    edit({ ...document, [name]: value }, name);
  return (
    <CardPanel title="Name and notes">
      <div className="rules-about">
        <TextInput
          label="Name"
          size="xs"
          value={document.title}
          maxLength={80}
          readOnly={readOnly}
          error={faults.find(({ path }) => path === 'title')?.sentence}
          onChange={(event) => set('title', event.currentTarget.value)}
        />
        <SelectBox label="Kind" options={kinds} value={document.kind} disabled={readOnly} onChange={(kind) => set('kind', kind)} />
        <Textarea
          label="What it does"
          size="xs"
          className="rules-all"
          autosize
          minRows={1}
          maxLength={500}
          value={document.description}
          readOnly={readOnly}
          onChange={(event) => set('description', oneLine(event.currentTarget.value))}
        />
        <Textarea
          label="When it loses"
          size="xs"
          className="rules-all"
          autosize
          minRows={1}
          maxLength={500}
          value={document.losesWhen}
          readOnly={readOnly}
          onChange={(event) => set('losesWhen', oneLine(event.currentTarget.value))}
        />
      </div>
    </CardPanel>
  );
}

/** Notes are of one line: what is pasted in several is joined. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/gu, ' ');
}
