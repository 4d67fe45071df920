import { useMemo, useState } from 'react';
import { CardPanel } from '../../ui/card-panel.tsx';
import { formatPnl, toneOf } from '../../ui/money.ts';
import { formatSignedRatio } from '../../ui/ratio.ts';
import type { PortfolioDetails } from './use-portfolios.ts';

type Day = PortfolioDetails['days'][number];

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** Each day of a run as a cell in a column of its week: darker is more, a dash is a loss. Below it the months. */
export function DaysAndMonths({ details }: { details: PortfolioDetails }) {
  const { days, months, currency, net_pnl: net, net_ratio: ratio, total } = details;
  const weeks = useMemo(() => weeksOf(days), [days]);
  const most = Math.max(0, ...days.map(({ pnl }) => Math.abs(pnl)));
  const worst = useMemo(
    () => days.reduce<Day | null>((low, each) => (each.trades > 0 && (low === null || each.pnl < low.pnl) ? each : low), null),
    [days],
  );
  const [chosen, setChosen] = useState<Day | null>(null);
  const shown = chosen ?? worst;
  return (
    <CardPanel title="Days and Months" aside={<span>by the day of the exit, UTC; a dash is a loss</span>}>
      <div className="bp-scroll" role="region" aria-label="Days, scrollable" tabIndex={0}>
        <table className="bp-days" aria-label="Net PnL by day">
          <tbody>
            {weekdays.map((name, weekday) => (
              <tr key={name}>
                <th scope="row">{weekday % 2 === 0 ? name : <span className="fl-visually-hidden">{name}</span>}</th>
                {weeks.map((week, place) => (
                  <DayCell
                    key={week.find((each) => each !== null)?.day ?? place}
                    day={week[weekday] ?? null}
                    most={most}
                    currency={currency}
                    onShow={setChosen}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="bp-note fl-number" aria-live="polite">
        {shown === null
          ? 'No trades on any day.'
          : `${shown.day} ${formatPnl(shown.pnl, currency)} in ${shown.trades} ${shown.trades === 1 ? 'trade' : 'trades'}${shown === worst ? ', the worst day' : ''}`}
      </p>
      <div className="bp-scroll" role="region" aria-label="Months, scrollable" tabIndex={0}>
        <table className="bt-metrics fl-number" aria-label="Months">
          <thead>
            <tr>
              <th scope="col">Month</th>
              <th scope="col">Net PnL</th>
              <th scope="col">Of the Balance</th>
              <th scope="col">Trades</th>
              <th scope="col">Won</th>
            </tr>
          </thead>
          <tbody>
            {months.map((month) => (
              <tr key={month.month}>
                <th scope="row">{month.month}</th>
                <td className={`fl-${toneOf(month.pnl, currency)}`}>{formatPnl(month.pnl, currency)}</td>
                <td>{formatSignedRatio(month.ratio)}</td>
                <td>{month.trades}</td>
                <td>{month.wins}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All</th>
              <td className={`fl-${toneOf(net, currency)}`}>{formatPnl(net, currency)}</td>
              <td>{formatSignedRatio(ratio)}</td>
              <td>{total.trades}</td>
              <td>{total.wins}</td>
            </tr>
          </tfoot>
        </table>
      </div>
    </CardPanel>
  );
}

function DayCell({ day, most, currency, onShow }: { day: Day | null; most: number; currency: string; onShow: (day: Day) => void }) {
  if (day === null) return <td />;
  const tone = day.trades === 0 ? 'none' : toneOf(day.pnl, currency);
  const strength = most === 0 ? 0 : Math.abs(day.pnl) / most;
  const text = `${day.day}: ${day.trades === 0 ? 'no trade' : `${formatPnl(day.pnl, currency)} in ${day.trades}`}`;
  return (
    <td>
      <span
        data-tone={tone}
        title={text}
        style={{ '--bp-strength': `${Math.round(25 + strength * 75)}%` } as React.CSSProperties}
        onPointerEnter={() => onShow(day)}
      >
        {tone === 'down' ? <b aria-hidden>-</b> : null}
        <span className="fl-visually-hidden">{text}</span>
      </span>
    </td>
  );
}

/** The days in weeks from Monday to Sunday; null before the first and after the last. */
function weeksOf(days: readonly Day[]): (Day | null)[][] {
  const [first] = days;
  const before = first === undefined ? 0 : (new Date(first.day).getUTCDay() + 6) % 7;
  const cells: (Day | null)[] = [...Array.from({ length: before }, () => null), ...days];
  while (cells.length % 7 !== 0) cells.push(null);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}
