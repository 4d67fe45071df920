import type { PositionPlan, RulesDocument } from '#engine/rules/document.ts';
import { Switch as MantineSwitch } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { memo } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { formatStake } from '../../../ui/money.ts';
import type { ReplayTrade } from '../replay/replay-summary.ts';
import { useReplayed } from '../replay/replay-store.ts';
import { largestPosition } from '../replay/test-account.ts';
import { NumberField } from './amount-field.tsx';
import type { EditRules } from './rules-editor.ts';

/** See `PlanPanel`. */
export interface PlanPanelProps extends Pick<RulesDocument, 'positionPlan'> {
  mayShort: boolean;
  stake: number; // of a replay
  currency: string;
  was: string | null; // what the saved version says; null where that is the same
  readOnly: boolean;
  edit: EditRules;
}

const nothing: PositionPlan = { addMore: null, takeOut: [] };

/** What is done with a position while it is open: further entries, and parts that are left at a profit. */
export const PlanPanel = memo(function PlanPanel({ positionPlan, mayShort, stake, currency, was, readOnly, edit }: PlanPanelProps) {
  const trades = useReplayed(({ draft }) => draft?.trades ?? null);
  const plan = positionPlan ?? nothing;
  const { addMore, takeOut } = plan;
  const set = (next: PositionPlan, place: string) =>
    edit(
      (document) => ({ ...document, positionPlan: next.addMore === null && next.takeOut.length === 0 ? null : next }),
      `positionPlan ${place}`,
    );
  const setMore = (changes: Partial<NonNullable<PositionPlan['addMore']>>, place: string) => {
    if (addMore !== null) set({ ...plan, addMore: { ...addMore, ...changes } }, place);
  };
  const setOut = (i: number, changes: Partial<PositionPlan['takeOut'][number]>, place: string) =>
    set({ ...plan, takeOut: takeOut.map((step, at) => (at === i ? { ...step, ...changes } : step)) }, `${i} ${place}`);
  return (
    <CardPanel
      title="Position plan"
      aside={
        <span>
          largest position <b className="fl-number rules-strong">{formatStake(stake * largestPosition(positionPlan), currency)}</b>
        </span>
      }
      flush
    >
      {was === null ? null : <p className="rules-was rules-inset">was: {was}</p>}
      {addMore === null ? null : (
        <PlanLine
          isOn={addMore.isOff !== true}
          label="Buy more"
          onSwitch={(isOn) => setMore({ isOff: isOn ? undefined : true }, 'more switch')}
          onRemove={() => set({ ...plan, addMore: null }, 'more removed')}
          readOnly={readOnly}
          count={countText(trades, ({ added }) => added > 0)}
        >
          <b>Buy more</b>
          <span>{mayShort ? 'when the price is' : 'after a fall of'}</span>
          <Percent
            disabled={readOnly}
            label="How far before buying more"
            value={addMore.distance}
            onChange={(distance) => setMore({ distance }, 'distance')}
          />
          <span>{mayShort ? 'worse than the average entry:' : 'below the average entry:'}</span>
          <Percent
            disabled={readOnly}
            label="How much of the first stake"
            value={addMore.stake}
            onChange={(part) => setMore({ stake: part }, 'stake')}
          />
          <span>of the first stake, at most</span>
          <NumberField
            label="How many times at most"
            hideLabel
            isWhole
            least={1}
            value={addMore.most}
            disabled={readOnly}
            onChange={(most) => setMore({ most: Math.min(20, most) }, 'most')}
          />
          <span>{addMore.most === 1 ? 'time' : 'times'}</span>
        </PlanLine>
      )}
      {takeOut.map((step, i) => (
        <PlanLine
          key={i}
          isOn={step.isOff !== true}
          label={`Take part out ${i + 1}`}
          onSwitch={(isOn) => setOut(i, { isOff: isOn ? undefined : true }, 'switch')}
          onRemove={() => set({ ...plan, takeOut: takeOut.filter((_, at) => at !== i) }, 'step removed')}
          readOnly={readOnly}
          count={i === 0 ? countText(trades, ({ takenOut }) => takenOut > 0) : null}
        >
          <b>Take part out</b>
          <span>at a profit of</span>
          <Percent
            disabled={readOnly}
            label={`Profit of step ${i + 1}`}
            value={step.profit}
            onChange={(profit) => setOut(i, { profit }, 'profit')}
          />
          <span>:</span>
          <Percent
            disabled={readOnly}
            label={`Part of step ${i + 1}`}
            value={step.part}
            most={0.99}
            onChange={(part) => setOut(i, { part }, 'part')}
          />
          <span>of the position</span>
        </PlanLine>
      ))}
      {addMore === null && takeOut.length === 0 ? <p className="rules-none">One entry and one exit for each trade.</p> : null}
      {readOnly ? null : (
        <div className="rules-adds">
          {addMore === null ? (
            <Button
              variant="ghost"
              size="small"
              icon={<IconPlus size={13} aria-hidden />}
              onClick={() => set({ ...plan, addMore: { distance: 0.01, stake: 0.5, most: 1 } }, 'more added')}
            >
              Buy more
            </Button>
          ) : null}
          {takeOut.length < 10 ? (
            <Button
              variant="ghost"
              size="small"
              icon={<IconPlus size={13} aria-hidden />}
              onClick={() => set({ ...plan, takeOut: [...takeOut, { profit: 0.01, part: 0.5 }] }, 'step added')}
            >
              Take part out
            </Button>
          ) : null}
        </div>
      )}
    </CardPanel>
  );
});

/** 'in 11 of 58 trades'. */
function countText(trades: readonly ReplayTrade[] | null, has: (trade: ReplayTrade) => boolean): string | null {
  return trades === null || trades.length === 0 ? null : `in ${trades.filter(has).length} of ${trades.length} trades`;
}

interface PlanLineProps {
  isOn: boolean;
  label: string;
  onSwitch: (isOn: boolean) => void;
  onRemove: () => void;
  count: string | null;
  readOnly: boolean;
  children: ReactNode;
}

function PlanLine({ isOn, label, onSwitch, onRemove, count, readOnly, children }: PlanLineProps) {
  return (
    <div className={`rules-plan${isOn ? '' : ' rules-row-off'}`} role="group" aria-label={label}>
      {readOnly ? null : (
        <MantineSwitch
          size="xs"
          checked={isOn}
          withThumbIndicator={false}
          aria-label={`${label} is on`}
          onChange={(event) => onSwitch(event.currentTarget.checked)}
        />
      )}
      {children}
      <span className="rules-plan-end fl-number">{isOn ? count : 'off'}</span>
      {readOnly ? null : (
        <Button variant="ghost" size="small" aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <IconTrash size={13} aria-hidden />
        </Button>
      )}
    </div>
  );
}

/** A ratio above nothing, typed in per cent. */
function Percent({
  label,
  value,
  most = 10,
  disabled,
  onChange,
}: {
  label: string;
  value: number;
  most?: number;
  disabled: boolean;
  onChange: (value: number) => void;
}) {
  return (
    <NumberField
      label={label}
      hideLabel
      isRatio
      least={0}
      value={value}
      step={0.1}
      disabled={disabled}
      onChange={(next) => {
        if (next > 0) onChange(Math.min(most, next));
      }}
    />
  );
}
