import '../bots.css';
import type { Bot } from '#contract/bots.ts';
import { useMemo } from 'react';
import type { DataColumn, SortedBy } from '../../ui/data-table.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import type { BotCardsProps } from '../bot-cards.tsx';
import { ChooseBot } from '../bulk/choose-bot.tsx';
import { BacktestIcon } from '../backtest-of-bot.tsx';
import { BotMenu } from '../bot-menu.tsx';
import { canControlBot } from '../../session/permissions.ts';
import type { BotRow } from './bot-columns.tsx';
import { useFigures } from './use-figures.ts';
import { botColumns } from './bot-columns.tsx';
import type { ListView } from './list-view.ts';

/** See `BotTable`. */
export interface BotTableProps extends Pick<
  BotCardsProps,
  'bots' | 'live' | 'exchangeName' | 'user' | 'selectedBotId' | 'isChoosing' | 'chosen' | 'onChoose' | 'onSelect' | 'onChange'
> {
  columns: ListView['columns'];
  sortedBy: ListView['sortedBy'];
  sortedAt: number; // grows when the person asks for the list again
  onSort: (by: SortedBy) => void;
}

const rowHeight = 36;

/** The bots as a table: a row each, by the columns that were chosen. */
export function BotTable(props: BotTableProps) {
  const {
    bots,
    live,
    exchangeName,
    user,
    selectedBotId,
    isChoosing,
    chosen,
    columns,
    sortedBy,
    sortedAt,
    onChoose,
    onSelect,
    onChange,
    onSort,
  } = props;
  const { figuresOf, note } = useFigures({ bots, live, sortedAt });
  const rows = useMemo(
    () =>
      bots.map((bot): BotRow => ({
        bot,
        live: live.get(bot.id),
        at: figuresOf(bot),
        exchangeName: exchangeName(bot.exchange_id),
        isInert: !canControlBot(user, bot),
        isChosen: isChoosing && bot.archived_at === null ? chosen.has(bot.id) : null,
      })),
    [bots, live, figuresOf, exchangeName, user, isChoosing, chosen],
  );
  const shown = useMemo(
    () => [nameColumn({ selectedBotId, onChoose, onSelect }), ...columns.map((key) => botColumns[key]), menuColumn(onChange)],
    [columns, selectedBotId, onChoose, onSelect, onChange],
  );
  return (
    <section className="fl-panel bot-table" aria-label="Bots">
      <DataTable
        label="Bots"
        long
        rowHeight={rowHeight}
        maxHeight={Math.min(720, 36 + rows.length * rowHeight)}
        columns={shown}
        rows={rows}
        rowKey={({ bot }) => bot.id}
        selectedKey={selectedBotId}
        onSort={(by) => {
          note();
          onSort(by);
        }}
        {...(sortedBy === null ? {} : { sortedBy })}
      />
    </section>
  );
}

/** The name, which selects the bot, with what chooses it among several. */
function nameColumn({ selectedBotId, ...handlers }: Pick<BotTableProps, 'selectedBotId' | 'onChoose' | 'onSelect'>): DataColumn<BotRow> {
  return {
    key: 'name',
    title: 'Bot',
    value: ({ bot }) => bot.nickname.toLowerCase(),
    show: (row) => <Name row={row} isSelected={row.bot.id === selectedBotId} {...handlers} />,
    width: 200,
  };
}

/** What else can be done with the bot. */
function menuColumn(onChange: BotTableProps['onChange']): DataColumn<BotRow> {
  return {
    key: 'more',
    title: '',
    value: () => null,
    show: ({ bot, isInert }) => (
      <span data-bot={bot.id} className="bot-row-actions">
        {isInert || bot.archived_at !== null ? null : <BacktestIcon bot={bot} />}
        <BotMenu bot={bot} disabled={isInert} onStop={() => onChange({ bot, change: { status: 'stopped' } })} />
      </span>
    ),
    sortable: false,
    width: 88,
  };
}

interface NameProps {
  row: BotRow;
  isSelected: boolean;
  onChoose: (bot: Bot, isChosen: boolean) => void;
  onSelect: (botId: string) => void;
}

function Name({ row: { bot, isInert, isChosen }, isSelected, onChoose, onSelect }: NameProps) {
  return (
    <span className="bot-row-name">
      {isInert || isChosen === null ? null : <ChooseBot bot={bot} isChosen={isChosen} onChoose={onChoose} />}
      {isInert ? (
        <span title={bot.nickname}>{bot.nickname}</span>
      ) : (
        <button type="button" className="fl-pick" aria-pressed={isSelected} title={bot.nickname} onClick={() => onSelect(bot.id)}>
          {bot.nickname}
        </button>
      )}
    </span>
  );
}
