import { IconAlertTriangle } from '@tabler/icons-react';
import { memo } from 'react';
import { ModeTag } from '../ui/mode-tag.tsx';
import { formatDuration } from '../ui/moment.ts';
import { botSentence } from './decision-sentence.ts';
import { Pnl } from './fleet-head.tsx';
import { isLate, priceAge } from '../live/price-age.ts';
import { Sparkline } from '../ui/sparkline.tsx';
import type { FleetBot } from '../live/use-fleet.ts';

/** See `FleetTable`. */
export interface FleetTableProps {
  bots: readonly FleetBot[];
  now: number; // ms, by the server's clock
  selectedId: string | null;
  onSelect: (botId: string) => void; // the same function at each render
  isLong: boolean; // all bots: the rows scroll below the header
}

/** The rows of the fleet. On a narrow screen each becomes a small card. */
export function FleetTable({ bots, now, selectedId, onSelect, isLong }: FleetTableProps) {
  return (
    <div
      className={isLong ? 'fleet-scroll fleet-long' : 'fleet-scroll'}
      tabIndex={isLong ? 0 : -1}
      role="region"
      aria-label="Bots, scrollable"
    >
      <table className="fl-table fleet-table" aria-label="Fleet">
        <thead>
          <tr>
            <th scope="col">Bot</th>
            <th scope="col">Mode</th>
            <th scope="col">7 Days</th>
            <th scope="col" className="fl-numeric">
              Today
            </th>
            <th scope="col" className="fl-numeric">
              Unrealized
            </th>
            <th scope="col" className="fl-numeric">
              Open
            </th>
            <th scope="col">Last Decision</th>
            <th scope="col" className="fl-numeric" title="Age of its newest price">
              Price Age
            </th>
          </tr>
        </thead>
        <tbody>
          {bots.map((bot) => {
            const age = priceAge(bot, now);
            return (
              <FleetRow
                key={bot.bot_id}
                bot={bot}
                age={age === null ? '—' : formatDuration(age)}
                isLate={isLate(bot, now)}
                isSelected={bot.bot_id === selectedId}
                onSelect={onSelect}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface FleetRowProps {
  bot: FleetBot;
  age: string;
  isLate: boolean;
  isSelected: boolean;
  onSelect: (botId: string) => void;
}

const FleetRow = memo(function FleetRow({ bot, age, isLate: late, isSelected, onSelect }: FleetRowProps) {
  const { nickname, mode, open_trades: open, max_open_trades: max, today_pnl: today, unrealized_pnl: unrealized } = bot;
  const currency = bot.stake_currency ?? 'USDT';
  const { what, why } = botSentence(bot);
  const decided = bot.last_decision ? `, decided ${bot.last_decision.time.slice(0, 16).replace('T', ' ')} UTC` : '';
  return (
    <tr
      className={`fl-pickable fleet-${bot.status}`}
      {...(isSelected ? { 'data-selected': true } : {})}
      onClick={() => onSelect(bot.bot_id)}
    >
      <td className="fleet-name">
        <button type="button" className="fl-pick" aria-pressed={isSelected} title={nickname}>
          {nickname}
        </button>
      </td>
      <td className="fleet-mode">
        <ModeTag mode={mode} />
      </td>
      <td className="fleet-week">
        <Sparkline values={bot.history} currency={currency} width={112} height={20} />
      </td>
      <td className="fl-numeric" data-label="today">
        {today === undefined ? '' : <Pnl amount={today} currency={currency} />}
      </td>
      <td className="fl-numeric" data-label="unrealized">
        <Pnl amount={unrealized} currency={currency} />
      </td>
      <td className="fl-numeric fleet-open" data-label="open">
        {open}
        {max === undefined ? null : <span className="fleet-of"> of {max}</span>}
      </td>
      <td className="fleet-why" title={what === '' ? '' : `${what}${why === '' ? '' : `: ${why}`}${decided}`}>
        <div>
          <b>{what}</b>
          {why === '' ? '' : `: ${why}`}
        </div>
      </td>
      <td className={late ? 'fl-numeric fleet-age fleet-late' : 'fl-numeric fleet-age'}>
        {late ? <IconAlertTriangle size={12} aria-label="late" /> : null}
        {age}
      </td>
    </tr>
  );
});
