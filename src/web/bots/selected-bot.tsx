import type { Bot } from '#contract/bots.ts';
import { CloseButton } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { changeAddress } from '../address/address.ts';
import { useTradingOf } from '../live/use-trading-of.ts';
import { Button } from '../ui/button.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { watch } from './bot-menu.tsx';

/** The selected bot beside the tabs that are about it. */
export function SelectedBot({ bot }: { bot: Bot | null }) {
  if (bot === null) return <p className="bot-chosen bot-label">No bot is selected</p>;
  return (
    <div className="bot-chosen" role="group" aria-label="Selected bot">
      <span className="bot-label">Selected</span>
      <b title={bot.nickname}>{bot.nickname}</b>
      <ModeTag mode={bot.mode} exchangeId={bot.exchange_id} />
      <SelectedStatus bot={bot} />
      <Button variant="ghost" size="small" icon={<IconActivity size={13} aria-hidden />} onClick={() => watch(bot.id)}>
        Show on Status
      </Button>
      <CloseButton size="sm" aria-label="Deselect bot" onClick={() => changeAddress({ bot: null, pair: null })} />
    </div>
  );
}

function SelectedStatus({ bot }: { bot: Bot }) {
  return <StatusBadge status={bot.status} trading={useTradingOf({ id: bot.id, ownerId: bot.user_id })} />;
}
