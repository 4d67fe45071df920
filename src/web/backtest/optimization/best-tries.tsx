import { Checkbox } from '@mantine/core';
import { IconAlertTriangle, IconArrowsDiff } from '@tabler/icons-react';
import type { Neighbourhood } from '#engine/lab/judgement/judgement.ts';
import { useCallback, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CardPanel } from '../../ui/card-panel.tsx';
import type { DataColumn } from '../../ui/data-table.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatMoney, formatPnl, quoteOf, toneOf } from '../../ui/money.ts';
import { formatRatio, formatSignedRatio } from '../../ui/ratio.ts';
import type { Tried } from './study-figures.ts';
import { valueIn } from './study-figures.ts';
import { dimensionTitle, measureOf, measureText, turnedText, valueText } from './study-words.ts';
import type { UseTry } from './try-for-bot.ts';
import { tryForBot } from './try-for-bot.ts';
import type { BotsForTries } from './use-bots-for-tries.ts';
import { useBotsForTries } from './use-bots-for-tries.ts';
import { UseForBot } from './use-for-bot.tsx';
import type { StudyItem } from './use-studies.ts';

/** See `BestTries`. */
export interface BestTriesProps {
  study: StudyItem;
  best: readonly Tried[];
  nearby: ReadonlyMap<number, Neighbourhood | null>; // what the tries near each of them made, by its number
  onUseTry: UseTry;
}

/** The best tries: sorted by any column, two of them compared, one of them used for a bot. */
export function BestTries({ study, best, nearby, onUseTry }: BestTriesProps) {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [isComparing, setComparing] = useState(false);
  const bots = useBotsForTries(study);
  const currency = quoteOf(study.plan.pairs[0] ?? '');
  const toggle = useCallback(
    (epoch: number) =>
      setChosen((before) => (before.includes(epoch) ? before.filter((other) => other !== epoch) : [...before, epoch].slice(-2))),
    [],
  );
  const columns = useMemo(
    () => columnsOf(study, currency, { nearby, chosen, toggle, use: onUseTry, bots }),
    [study, currency, nearby, chosen, toggle, onUseTry, bots],
  );
  const compared = best.filter(({ epoch }) => chosen.includes(epoch));
  return (
    <CardPanel
      title="Best Tries"
      aside={
        <>
          <span className="fl-number">{chosen.length} chosen</span>
          <Button
            variant="secondary"
            size="small"
            icon={<IconArrowsDiff size={13} aria-hidden />}
            disabled={compared.length !== 2}
            aria-pressed={isComparing}
            onClick={() => setComparing(!isComparing)}
          >
            Compare
          </Button>
        </>
      }
      flush
    >
      {best.length === 0 ? (
        <EmptyState text="No try has a result yet." hint={`A try has one with at least ${study.min_trades} trades.`} minHeight={140} />
      ) : (
        <>
          {isComparing && compared.length === 2 ? <Compared study={study} tries={compared} currency={currency} /> : null}
          <DataTable label="Best Tries" columns={columns} rows={best} rowKey={({ epoch }) => String(epoch)} maxHeight={420} />
          <p className="st-foot">
            {bots.mayUse
              ? '“Use for Bot” opens the form of a new bot, or of one that trades this strategy, filled in: saving it there makes a version of its settings. Nothing changes by itself. '
              : 'Traders and admins can use a try for a bot. '}
            Nearby: the median profit of the tries within a tenth of each range, where there are five.
          </p>
        </>
      )}
    </CardPanel>
  );
}

/** What a column of the best tries can do. */
interface TryActions {
  chosen: readonly number[]; // to be compared
  toggle: (epoch: number) => void;
  nearby: BestTriesProps['nearby'];
  use: UseTry;
  bots: BotsForTries;
}

function columnsOf(study: StudyItem, currency: string, { chosen, toggle, nearby, use, bots }: TryActions): readonly DataColumn<Tried>[] {
  const { dimensions, loss: name } = study;
  const { title, sign } = measureOf(name);
  const valuesOf = (epoch: Tried) => dimensions.map((dimension, i) => valueIn(dimension, i, epoch));
  return [
    {
      key: 'chosen',
      title: 'Compare',
      value: () => null,
      sortable: false,
      show: ({ epoch }) => (
        <Checkbox size="xs" aria-label={`Compare try ${epoch}`} checked={chosen.includes(epoch)} onChange={() => toggle(epoch)} />
      ),
    },
    { key: 'try', title: 'Try', value: ({ epoch }) => epoch, numeric: true },
    { key: 'loss', title, value: ({ loss }) => loss * sign, show: ({ loss }) => measureText(loss, sign), numeric: true },
    {
      key: 'profit',
      title: 'Profit',
      value: ({ figures }) => figures.profit,
      show: ({ figures }) => <span className={`fl-${toneOf(figures.profit, currency)}`}>{formatPnl(figures.profit, currency)}</span>,
      numeric: true,
    },
    {
      key: 'drawdown',
      title: 'Max Drawdown',
      value: ({ figures }) => figures.max_drawdown_ratio,
      show: ({ figures }) => formatRatio(figures.max_drawdown_ratio, 2),
      numeric: true,
    },
    { key: 'trades', title: 'Trades', value: ({ figures }) => figures.trades, numeric: true },
    {
      key: 'won',
      title: 'Win Rate',
      value: ({ figures }) => figures.wins / Math.max(1, figures.trades),
      show: ({ figures }) => formatRatio(figures.wins / Math.max(1, figures.trades)),
      numeric: true,
    },
    {
      key: 'nearby',
      title: 'Nearby',
      value: ({ epoch }) => nearby.get(epoch)?.medianProfitRatio ?? null,
      show: ({ epoch, figures }) => <Nearby neighbourhood={nearby.get(epoch) ?? null} hasProfit={figures.profit > 0} />,
      numeric: true,
    },
    {
      key: 'settings',
      title: 'Settings',
      value: () => null,
      sortable: false,
      show: (epoch) => <span className="st-settings">{turnedText(dimensions, valuesOf(epoch))}</span>,
    },
    ...(bots.mayUse
      ? [
          {
            key: 'use',
            title: 'Use',
            value: () => null,
            sortable: false,
            show: (epoch: Tried) => <UseForBot epoch={epoch.epoch} bots={bots} onUse={(botId) => use(tryForBot(study, epoch), botId)} />,
          },
        ]
      : []),
  ];
}

/** The median profit of the tries near one; where most of its profit is gone there, it is a spike. */
function Nearby({ neighbourhood, hasProfit }: { neighbourhood: Neighbourhood | null; hasProfit: boolean }) {
  if (neighbourhood === null) return '–';
  const isSpike = hasProfit && !neighbourhood.isPlateau;
  return (
    <span
      className={isSpike ? 'st-warn' : ''}
      title={`Median profit of ${neighbourhood.count} ${neighbourhood.count === 1 ? 'try' : 'tries'}`}
    >
      {isSpike ? <IconAlertTriangle size={12} aria-label="Spike:" /> : null} {formatSignedRatio(neighbourhood.medianProfitRatio)}
    </span>
  );
}

function Compared({ study, tries, currency }: { study: StudyItem; tries: readonly Tried[]; currency: string }) {
  const [one, two] = tries;
  if (one === undefined || two === undefined) return null;
  const { title, sign } = measureOf(study.loss);
  const rows: [string, (epoch: Tried) => string][] = [
    [title, ({ loss }) => measureText(loss, sign)],
    ['Profit', ({ figures }) => `${formatPnl(figures.profit, currency)} (${formatSignedRatio(figures.profit_ratio)})`],
    ['Max Drawdown', ({ figures }) => `${formatMoney(figures.max_drawdown, currency)} (${formatRatio(figures.max_drawdown_ratio, 2)})`],
    ['Trades', ({ figures }) => `${figures.trades}, ${figures.wins} won`],
    ['Mean Profit', ({ figures }) => formatSignedRatio(figures.mean_profit_ratio)],
    ['Mean Duration', ({ figures }) => `${(figures.average_duration_ms / 3_600_000).toFixed(1)} h`],
    ...study.dimensions.map((dimension, i): [string, (epoch: Tried) => string] => [
      dimensionTitle(dimension),
      (epoch) => valueText(dimension, valueIn(dimension, i, epoch)),
    ]),
  ];
  return (
    <div className="fl-table-scroll" tabIndex={0} role="region" aria-label="Two tries compared, scrollable">
      <table className="fl-table st-compared" aria-label="Two tries compared">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" className="fl-numeric">
              Try {one.epoch}
            </th>
            <th scope="col" className="fl-numeric">
              Try {two.epoch}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, textOf]) => (
            <tr key={name} {...(textOf(one) === textOf(two) ? {} : { 'data-differs': true })}>
              <th scope="row">{name}</th>
              <td className="fl-numeric">{textOf(one)}</td>
              <td className="fl-numeric">{textOf(two)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
