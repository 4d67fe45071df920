import type { RulesDocument } from '#engine/rules/document.ts';
import type { StrategyKind } from '#engine/strategy/strategy.ts';
import { Textarea, TextInput } from '@mantine/core';
import { memo } from 'react';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { SelectBox } from '../../../ui/select-box.tsx';
import type { EditRules } from './rules-editor.ts';

const kinds: readonly StrategyKind[] = ['trend', 'momentum', 'breakout', 'range', 'volatility', 'pullback', 'intraday', 'benchmark'];

type About = Pick<RulesDocument, 'title' | 'kind' | 'description' | 'losesWhen'>;

/** See `AboutPanel`. */
export interface AboutPanelProps extends About {
  fault: string | null; // of the name
  readOnly: boolean;
  edit: EditRules;
}

/** The name of the rules, and what their maker says of them. */
export const AboutPanel = memo(function AboutPanel({ title, kind, description, losesWhen, fault, readOnly, edit }: AboutPanelProps) {
  const set = <Name extends keyof About>(name: Name, value: About[Name]) => edit((document) => ({ ...document, [name]: value }), name);
  return (
    <CardPanel title="Name and notes">
      <div className="rules-about">
        <TextInput
          label="Name"
          size="xs"
          value={title}
          maxLength={80}
          readOnly={readOnly}
          error={fault}
          onChange={(event) => set('title', event.currentTarget.value)}
        />
        <SelectBox label="Kind" options={kinds} value={kind} disabled={readOnly} onChange={(next) => set('kind', next)} />
        <Textarea
          label="What it does"
          size="xs"
          className="rules-all"
          autosize
          minRows={1}
          maxLength={500}
          value={description}
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
          value={losesWhen}
          readOnly={readOnly}
          onChange={(event) => set('losesWhen', oneLine(event.currentTarget.value))}
        />
      </div>
    </CardPanel>
  );
});

/** Notes are of one line: what is pasted in several is joined. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/gu, ' ');
}
