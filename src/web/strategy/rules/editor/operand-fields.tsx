import type { LineOperand, Operand } from '#engine/rules/document.ts';
import { isLine } from '#engine/rules/piece-kinds.ts';
import { type Timeframe, timeframeLengths } from '#engine/market/timeframe.ts';
import { isRatio } from '#engine/rules/words.ts';
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { SelectBox } from '../../../ui/select-box.tsx';
import { kindOf, operandKinds, withKind } from '../edit/operand-kinds.ts';
import { pieceAt, withPiece } from '../edit/pieces-at.ts';
import { operandText } from '../edit/sentence.ts';
import { cursorText, useReplayed } from '../replay/replay-store.ts';
import { AmountField, NumberField } from './amount-field.tsx';
import { LineFields } from './line-fields.tsx';
import { useRulesEditor } from './rules-editor.ts';

/** See `OperandFields`. */
export interface OperandFieldsProps {
  label: string; // e.g. 'Left side'
  path: string; // to the operand
  beside: Operand | null; // what it is compared with: a number beside it is a ratio, a time, or plain
  depth?: number; // how many operands it lies in
  ruleBox: (path: string, label: string) => ReactNode; // draws the rule that candles are counted from
}

/** How deep operands are offered to lie in each other; nobody can read more. */
const deepest = 2;

/** The fields of one side of a condition: what it is, its numbers, and where it is read. */
export function OperandFields({ label, path, beside, depth = 0, ruleBox }: OperandFieldsProps) {
  const { document, edit } = useRulesEditor();
  const operand = pieceAt(document, path) as Operand | undefined;
  if (operand === undefined) return null;
  const kinds = depth < deepest ? operandKinds : operandKinds.filter(({ value }) => value !== 'offset' && value !== 'candlesSince');
  return (
    <fieldset className="rules-operand" aria-label={label}>
      <SelectBox
        label={label}
        className="rules-wide"
        searchable
        options={kinds.some(({ value }) => value === kindOf(operand)) ? kinds : operandKinds}
        value={kindOf(operand)}
        onChange={(kind) => edit(withPiece(document, path, withKind(operand, kind)), `${path} kind`)}
      />
      <KindFields operand={operand} path={path} beside={beside} depth={depth} ruleBox={ruleBox} />
      {isLine(operand) ? <PlaceFields operand={operand} path={path} /> : null}
      {operand.kind === 'minuteOfDay' || operand.kind === 'weekday' || operand.kind === 'candlesSince' ? (
        <AmountField label="Candles back" path={`${path}.candlesBack`} isWhole least={0} />
      ) : null}
      <AtCursor operand={operand} path={path} beside={beside} />
    </fieldset>
  );
}

function KindFields({ operand, path, beside, depth, ruleBox }: Required<Omit<OperandFieldsProps, 'label'>> & { operand: Operand }) {
  const { document, edit } = useRulesEditor();
  switch (operand.kind) {
    case 'number':
      return <NumberOperandField path={`${path}.value`} beside={beside} />;
    case 'price':
    case 'indicator':
    case 'highest':
    case 'lowest':
    case 'change':
      return <LineFields path={path} line={operand} depth={0} />;
    case 'candlesSince':
      return (
        <>
          <NumberField
            label="Counted up to"
            value={operand.upTo}
            isWhole
            least={1}
            onChange={(upTo) => edit(withPiece(document, `${path}.upTo`, upTo), `${path}.upTo`)}
          />
          {ruleBox(`${path}.rule`, 'Candles since')}
        </>
      );
    case 'offset':
      return (
        <div className="rules-offset">
          <OperandFields label="From" path={`${path}.base`} beside={beside} depth={depth + 1} ruleBox={ruleBox} />
          <SelectBox
            label="Plus or minus"
            options={['plus', 'minus'] as const}
            value={operand.sign}
            onChange={(sign) => edit(withPiece(document, `${path}.sign`, sign), `${path} sign`)}
          />
          <AmountField label="Times" path={`${path}.times`} />
          <OperandFields label="Of" path={`${path}.unit`} beside={null} depth={depth + 1} ruleBox={ruleBox} />
        </div>
      );
    default:
      return null; // a time of day or a weekday says all with its name
  }
}

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** A number as it is typed beside what it is compared with: per cent, a time of day, a weekday, or plain. */
function NumberOperandField({ path, beside }: { path: string; beside: Operand | null }) {
  const { document, edit } = useRulesEditor();
  const value = pieceAt(document, path);
  if (typeof value === 'number' && beside?.kind === 'minuteOfDay') {
    return (
      <TextInput
        label="Time (UTC)"
        type="time"
        size="xs"
        value={clockOf(value)}
        onChange={(event) => {
          const [hours, minutes] = event.currentTarget.value.split(':').map(Number);
          if (hours !== undefined && minutes !== undefined && Number.isFinite(hours + minutes))
            edit(withPiece(document, path, hours * 60 + minutes), path);
        }}
      />
    );
  }
  if (typeof value === 'number' && beside?.kind === 'weekday') {
    return (
      <SelectBox
        label="Day"
        options={weekdays.map((day, i) => ({ value: String(i + 1), label: day }))}
        value={String(value)}
        onChange={(day) => edit(withPiece(document, path, Number(day)), path)}
      />
    );
  }
  return <AmountField label="Number" path={path} isRatio={beside !== null && isRatio(beside)} />;
}

function clockOf(minutes: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(minutes / 60)}:${two(minutes % 60)}`;
}

const own = 'own';

function PlaceFields({ operand, path }: { operand: LineOperand; path: string }) {
  const { document, edit, pairs } = useRulesEditor();
  const { timeframe } = document.defaults;
  const ownMs = timeframeLengths[timeframe];
  const longer = (Object.keys(timeframeLengths) as Timeframe[]).filter(
    (each) => timeframeLengths[each] > ownMs && timeframeLengths[each] % ownMs === 0,
  );
  const timeframes = operand.timeframe === undefined || longer.includes(operand.timeframe) ? longer : [...longer, operand.timeframe];
  const symbols = operand.symbol === undefined || pairs.includes(operand.symbol) ? pairs : [operand.symbol, ...pairs];
  const set = (field: 'timeframe' | 'symbol', value: string) =>
    edit(withPiece(document, `${path}.${field}`, value === own ? undefined : value), `${path} ${field}`);
  return (
    <>
      <AmountField label="Candles back" path={`${path}.candlesBack`} isWhole least={0} />
      <SelectBox
        label="Timeframe"
        options={[{ value: own, label: `${timeframe}, as the strategy` }, ...timeframes.map((each) => ({ value: each, label: each }))]}
        value={operand.timeframe ?? own}
        onChange={(value) => set('timeframe', value)}
      />
      <SelectBox
        label="Pair"
        searchable
        options={[{ value: own, label: 'the pair traded' }, ...symbols.map((each) => ({ value: each, label: each }))]}
        value={operand.symbol ?? own}
        onChange={(value) => set('symbol', value)}
      />
      {operand.timeframe === undefined && operand.symbol === undefined ? null : (
        <p className="rules-hint rules-all">
          A longer timeframe or another pair uses its last closed candle, so the rule cannot see the future.
        </p>
      )}
    </>
  );
}

/** What the operand is in the candle under the cursor of the chart. */
function AtCursor({ operand, path, beside }: { operand: Operand; path: string; beside: Operand | null }) {
  const { document } = useRulesEditor();
  const value = useReplayed(({ values }) => values[path]);
  const time = useReplayed(cursorText);
  if (time === null || value === undefined || operand.kind === 'number') return null;
  const shown = Number.isFinite(value)
    ? operandText(document, { kind: 'number', value: Number(value.toPrecision(6)) }, operand)
    : 'not known';
  return (
    <p className="rules-hint rules-all">
      At the cursor, {time}: {operandText(document, operand, beside)} is <b className="fl-number">{shown}</b>
    </p>
  );
}
