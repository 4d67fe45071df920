import { Menu } from '@mantine/core';
import { IconBolt, IconPlus, IconRobot } from '@tabler/icons-react';
import { useState } from 'react';
import { detailOf } from '../../api/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { showToast } from '../../ui/toast.ts';
import type { BotsForTries } from './use-bots-for-tries.ts';

/** See `UseForBot`. */
export interface UseForBotProps {
  epoch: number;
  bots: BotsForTries;
  onUse: (botId: string | null) => Promise<void>; // null: a new bot
}

/** Opens the form of a bot with the settings of a try; which bot is asked where there is a choice. */
export function UseForBot({ epoch, bots: { bots, mayCreate }, onUse }: UseForBotProps) {
  const [isBusy, setBusy] = useState(false);
  const use = async (botId: string | null): Promise<void> => {
    setBusy(true);
    try {
      await onUse(botId);
    } catch (error) {
      showToast('error', detailOf(error) ?? 'The form of the bot could not be opened');
    } finally {
      setBusy(false); // the table is still there when its reader stayed
    }
  };
  const button = (onClick?: () => void) => (
    <Button
      variant="secondary"
      size="small"
      loading={isBusy}
      aria-label={`Use for Bot: try ${epoch}`}
      {...(onClick === undefined ? {} : { onClick })}
    >
      Use for Bot
    </Button>
  );
  if (bots.length === 0) return button(() => void use(null));
  return (
    <Menu position="bottom-end" transitionProps={{ duration: 0 }} withInitialFocusPlaceholder={false}>
      <Menu.Target>{button()}</Menu.Target>
      <Menu.Dropdown className="st-bots">
        {mayCreate ? (
          <Menu.Item leftSection={<IconPlus size={14} aria-hidden />} onClick={() => void use(null)}>
            A New Bot
          </Menu.Item>
        ) : null}
        {bots.map(({ id, nickname, isLive }) => (
          <Menu.Item
            key={id}
            leftSection={isLive ? <IconBolt size={14} aria-hidden /> : <IconRobot size={14} aria-hidden />}
            onClick={() => void use(id)}
          >
            {nickname}, {isLive ? 'live' : 'paper'}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
