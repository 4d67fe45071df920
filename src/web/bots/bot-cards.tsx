import type { Bot } from '#contract/bots.ts';
import type { SessionUser } from '#contract/auth.ts';
import { IconRobotOff } from '@tabler/icons-react';
import { useState } from 'react';
import { changeAddress } from '../address/address.ts';
import type { FleetBot } from '../live/joined-fleet.ts';
import { canControlBot, canCreateBots } from '../session/permissions.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { BotCard } from './bot-card.tsx';
import type { BotFilter } from './bot-list.ts';
import { attentionNotes } from './bot-notes.ts';
import type { BotChange } from './use-bots.ts';

/** See `BotCards`. */
export interface BotCardsProps {
  bots: readonly Bot[]; // filtered and sorted
  filter: BotFilter; // what they are narrowed to; another one begins with the first cards
  isNarrowed: boolean; // the filter hides some
  live: ReadonlyMap<string, FleetBot>; // by bot id
  now: number; // ms, by the server's clock
  exchangeName: (exchangeId: string) => string;
  user: SessionUser | null;
  selectedBotId: string | null;
  isChoosing: boolean; // several, for what is done to them at once
  chosen: ReadonlySet<string>; // bot ids
  onChoose: (bot: Bot, isChosen: boolean) => void;
  onSelect: (botId: string) => void;
  onChange: (change: BotChange) => void; // the list asks; whoever gave the handler decides
  onShowAll: () => void; // clears the filter
}

/** How many cards are drawn at first, and how many more at each wish. */
export const cardsPerStep = 30;

/** The cards of the bots, a step at a time where there are many. */
export function BotCards(props: BotCardsProps) {
  const { bots, filter, live, now, exchangeName, user, selectedBotId, isChoosing, chosen, onChoose, onSelect, onChange } = props;
  const [count, setCount] = useState(cardsPerStep);
  const [countedFor, setCountedFor] = useState(filter);
  if (filter !== countedFor) {
    setCountedFor(filter);
    setCount(cardsPerStep);
  }
  if (bots.length === 0) return <NoBots {...props} />;
  return (
    <>
      <div className="bot-cards">
        {bots.slice(0, count).map((bot) => (
          <BotCard
            key={bot.id}
            bot={bot}
            live={live.get(bot.id)}
            notes={attentionNotes(bot, live.get(bot.id), now).join('\n')}
            exchangeName={exchangeName(bot.exchange_id)}
            isSelected={bot.id === selectedBotId}
            isInert={!canControlBot(user, bot)}
            isChosen={isChoosing ? chosen.has(bot.id) : null}
            onChoose={onChoose}
            onSelect={onSelect}
            onChange={onChange}
          />
        ))}
      </div>
      {bots.length > count ? (
        <div className="bot-more">
          <span className="fl-number">
            {count} of {bots.length} bots
          </span>
          <Button variant="secondary" onClick={() => setCount(count + cardsPerStep)}>
            Show More
          </Button>
        </div>
      ) : null}
    </>
  );
}

/** There is no bot at all, or none that the filter lets through. */
function NoBots({ isNarrowed, user, onShowAll }: BotCardsProps) {
  if (isNarrowed) {
    return (
      <div className="fl-panel">
        <EmptyState
          icon={<IconRobotOff size={22} />}
          text="No bots found"
          hint="No bot matches the search and filters."
          action={
            <Button variant="secondary" onClick={onShowAll}>
              Show All Bots
            </Button>
          }
          minHeight={240}
        />
      </div>
    );
  }
  return (
    <div className="fl-panel">
      <EmptyState
        icon={<IconRobotOff size={22} />}
        text="No bots found"
        {...(canCreateBots(user)
          ? {
              hint: 'Create a new bot to get started',
              action: <Button onClick={() => changeAddress({ view: 'configure', bot: null })}>New Bot</Button>,
            }
          : {})}
        minHeight={240}
      />
    </div>
  );
}
