import { IconAlertTriangle, IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useMediaQuery } from '@mantine/hooks';
import { memo, useRef } from 'react';
import { changeAddress } from '../address/address.ts';
import { isAdmin } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { ModeTag } from '../ui/mode-tag.tsx';
import { formatDuration } from '../ui/moment.ts';
import { botSentence } from './decision-sentence.ts';
import { Pnl } from './fleet-head.tsx';
import { isLate, priceAge } from '../live/price-age.ts';
import { countsText } from '../live/count-words.ts';
import { useTradingOf } from '../live/use-trading-of.ts';
import { useUnprotected } from '../live/use-unprotected.ts';
import { heldWord } from '../ui/status-badge.tsx';
import { NoStopMark } from '../ui/no-stop-mark.tsx';
import type { FleetColumn, FleetSort } from './fleet-sort.ts';
import { nextSort } from './fleet-sort.ts';
import { Button } from '../ui/button.tsx';
import { RowsInSight } from '../ui/rows-in-sight.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import type { FleetBot } from '../live/joined-fleet.ts';

/** See `FleetTable`. */
export interface FleetTableProps {
  bots: readonly FleetBot[];
  now: number; // ms, by the server's clock
  selectedId: string | null;
  onSelect: (botId: string, pair: string | null) => void; // the same function at each render
  sort: FleetSort | null;
  onSort: (sort: FleetSort | null) => void;
  isLong: boolean; // all bots: the rows scroll below the header, and only those in sight are drawn
}

const columns: readonly { column: FleetColumn; title: string; numeric?: true; hint?: string }[] = [
  { column: 'name', title: 'Bot' },
  { column: 'mode', title: 'Mode' },
  { column: 'week', title: '7 Days' },
  { column: 'today', title: 'Today', numeric: true },
  { column: 'unrealized', title: 'Unrealized', numeric: true },
  { column: 'open', title: 'Open', numeric: true },
  { column: 'decision', title: 'Last Decision' },
  { column: 'age', title: 'Price Age', numeric: true, hint: 'Age of its newest price' },
];

/** The columns by what a phone offers to sort by, and none: the fleet's own order. */
const sortChoices = [{ value: '', label: 'Fleet order' }, ...columns.map(({ column, title }) => ({ value: column, label: title }))];

/** On a phone, where the rows are cards without a header: what they are sorted by, and which way. */
function PhoneSort({ sort, onSort }: Pick<FleetTableProps, 'sort' | 'onSort'>) {
  return (
    <div className="fleet-phone-sort">
      <SelectBox<FleetColumn | ''>
        label="Sort by"
        hideLabel
        options={sortChoices as readonly { value: FleetColumn | ''; label: string }[]}
        value={sort?.column ?? ''}
        onChange={(column) => onSort(column === '' ? null : { column, descending: false })}
      />
      {sort === null ? null : (
        <Button
          variant="secondary"
          icon={sort.descending ? <IconArrowDown size={14} aria-hidden /> : <IconArrowUp size={14} aria-hidden />}
          onClick={() => onSort({ ...sort, descending: !sort.descending })}
        >
          {sort.descending ? 'Descending' : 'Ascending'}
        </Button>
      )}
    </div>
  );
}

/** The height of a row in px before it is measured. */
const rowHeight = 29;

/** How much of the rows is assumed to be in sight while that is not known, in px. */
const assumedHeight = 640;

/** The rows of the fleet. On a narrow screen each becomes a small card. */
export function FleetTable({ bots, now, selectedId, onSelect, isLong, sort, onSort }: FleetTableProps) {
  const scroll = useRef<HTMLDivElement>(null);
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const drawRow = (place: number, measure: FleetRowProps['measure']) => {
    const bot = bots[place];
    if (bot === undefined) return null;
    const age = priceAge(bot, now);
    return (
      <FleetRow
        key={bot.bot_id}
        place={place}
        measure={measure}
        bot={bot}
        age={age === null ? '—' : formatDuration(age)}
        isLate={isLate(bot, now)}
        isSelected={bot.bot_id === selectedId}
        onSelect={onSelect}
      />
    );
  };
  return (
    <>
      {isPhone && bots.length > 1 ? <PhoneSort sort={sort} onSort={onSort} /> : null}
      <div
        ref={scroll}
        className={isLong ? 'fleet-scroll fleet-long' : 'fleet-scroll'}
        tabIndex={isLong ? 0 : -1}
        role="region"
        aria-label="Bots, scrollable"
      >
        <table className="fl-table fleet-table" aria-label="Fleet" aria-rowcount={bots.length + 1}>
          <thead>
            <tr>
              {columns.map(({ column, title, numeric, hint }) => (
                <th
                  key={column}
                  scope="col"
                  className={numeric === true ? 'fl-numeric' : ''}
                  title={hint}
                  aria-sort={sort?.column === column ? (sort.descending ? 'descending' : 'ascending') : 'none'}
                >
                  <button type="button" className="fl-sort" onClick={() => onSort(nextSort(sort, column))}>
                    {title}
                    {sort?.column === column ? (
                      sort.descending ? (
                        <IconArrowDown size={12} aria-hidden />
                      ) : (
                        <IconArrowUp size={12} aria-hidden />
                      )
                    ) : null}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {isLong ? (
              <RowsInSight
                scroll={scroll}
                count={bots.length}
                columns={columns.length}
                rowHeight={rowHeight}
                assumedHeight={assumedHeight}
                keyOf={(place) => bots[place]?.bot_id ?? place}
                draw={(places, measure) => places.map((place) => drawRow(place, measure))}
              />
            ) : (
              bots.map((_, place) => drawRow(place, null))
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface FleetRowProps {
  place: number; // among all rows
  measure: ((row: HTMLTableRowElement | null) => void) | null; // takes the height of the row as it is drawn
  bot: FleetBot;
  age: string;
  isLate: boolean;
  isSelected: boolean;
  onSelect: (botId: string, pair: string | null) => void;
}

const FleetRow = memo(function FleetRow({ place, measure, bot, age, isLate: late, isSelected, onSelect }: FleetRowProps) {
  const { nickname, mode, open_trades: open, max_open_trades: max, today_pnl: today, unrealized_pnl: unrealized } = bot;
  const currency = bot.stake_currency ?? 'USDT';
  const user = useUser();
  const ownerId = user?.userId ?? null;
  const trading = useTradingOf({ id: bot.bot_id, ownerId: bot.is_own === true ? ownerId : null });
  const { what, why } = botSentence(bot, heldWord(bot.status, trading));
  const bare = useUnprotected(bot.bot_id).length;
  const mayAskWhy = bot.is_own === true || isAdmin(user);
  const sentence = (
    <>
      <b>{what}</b>
      {why === '' ? '' : `: ${why}`}
    </>
  );
  const decided = bot.last_decision ? `, decided ${bot.last_decision.time.slice(0, 16).replace('T', ' ')} UTC` : '';
  const counts = countsText(bot, false);
  return (
    <tr
      ref={measure}
      data-index={place}
      aria-rowindex={place + 2}
      className={`fl-pickable fleet-${bot.status}`}
      {...(isSelected ? { 'data-selected': true } : {})}
      onClick={() => onSelect(bot.bot_id, bot.last_decision?.symbol ?? null)}
    >
      <td className="fleet-name">
        <button type="button" className="fl-pick" aria-pressed={isSelected} title={nickname}>
          {nickname}
        </button>
      </td>
      <td className="fleet-mode">
        <ModeTag mode={mode} exchangeId={bot.exchange_id} />
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
      <td
        className="fleet-why"
        title={what === '' ? '' : `${what}${why === '' ? '' : `: ${why}`}${decided}${counts === '' ? '' : `. ${counts}`}`}
      >
        <div>
          {bare === 0 ? null : <NoStopMark text={`${bare} without stop`} />}{' '}
          {mayAskWhy && what !== '' ? (
            <button
              type="button"
              className="fleet-ask"
              onClick={(event) => {
                event.stopPropagation(); // the row would choose the bot
                changeAddress({ why: bot.bot_id });
              }}
            >
              {sentence}
            </button>
          ) : (
            sentence
          )}
        </div>
      </td>
      <td className={late ? 'fl-numeric fleet-age fleet-late' : 'fl-numeric fleet-age'}>
        {late ? <IconAlertTriangle size={12} aria-label="late" /> : null}
        {age}
      </td>
    </tr>
  );
});
