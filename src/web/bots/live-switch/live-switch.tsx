import './live-switch.css';
import { IconKey } from '@tabler/icons-react';
import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { messageOf } from '../../api/api-error.ts';
import { heldData } from '../../api/outage.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { ModeBand } from '../../ui/mode-band.tsx';
import { RowsSkeleton } from '../../ui/skeleton.tsx';
import type { BotChange } from '../use-bots.ts';
import { keySentence } from './check-lines.ts';
import { CheckList } from './check-list.tsx';
import { DrillBox } from './drill-box.tsx';
import { PasswordStep } from './password-step.tsx';
import { SwitchFacts } from './switch-facts.tsx';
import type { LiveCheck } from './use-live-check.ts';
import { useDrillShown, useLiveCheck } from './use-live-check.ts';
import { WorstCaseBox } from './worst-case-box.tsx';

/** See `LiveSwitch`. */
export interface LiveSwitchProps {
  bot: BotChange['bot'];
  exchangeName: string;
  consequence: string;
  savesKey: boolean; // a new API key is saved before the change
  changesAccount: boolean; // another exchange, market type or stake currency is
  changesSettings: boolean; // what it trades, or how, is
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

const newKey = 'The one you have entered is checked at the exchange when it is saved; it is refused if it may withdraw.';

/** Asks before a bot trades live: what it will do, what it can lose, what was checked. Its name and the password come first. */
export function LiveSwitch({
  bot,
  exchangeName,
  consequence,
  savesKey,
  changesAccount,
  changesSettings,
  isBusy,
  onConfirm,
  onCancel,
}: LiveSwitchProps) {
  const query = useLiveCheck(bot.id);
  const checked = heldData(query);
  // A drill is of what is stored, and the bot will trade with something else.
  const check = checked === undefined || !changesSettings ? checked : { ...checked, drill: outdated(checked.drill) };
  const showDrill = useDrillShown(bot.id);
  const [name, setName] = useState('');
  const isNamed = name.trim() === bot.nickname.trim();
  const isReady = isNamed && check !== undefined && !check.password_needed;
  return (
    <ConfirmDialog
      opened
      wide
      destructive
      title="Change Bot Mode"
      message="Are you sure you want to change the bot mode to live?"
      loading={isBusy}
      confirmDisabled={!isReady}
      note={consequence}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      <ModeBand mode="live" exchangeId={bot.exchange_id} />
      <div className="live-boxes">
        <SwitchFacts bot={bot} exchangeName={exchangeName} check={check} savesKey={savesKey} changesAccount={changesAccount} />
        <WorstCaseBox bot={bot} />
      </div>
      <div className="live-key" role="note">
        <IconKey size={16} aria-hidden />
        <div>
          <b>Ensure API key is valid</b>
          <p>{savesKey ? newKey : check === undefined ? 'Loading what the exchange said of it...' : keySentence(check.key)}</p>
        </div>
      </div>
      {check !== undefined ? (
        <>
          <CheckList check={check} savesKey={savesKey} />
          <DrillBox botId={bot.id} drill={check.drill} isUnsaved={changesSettings} onRun={showDrill} />
        </>
      ) : query.isError ? (
        <FailedLoad
          text="Failed to check the bot"
          detail={messageOf(query.error)}
          isLoading={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <RowsSkeleton rows={5} height={20} />
      )}
      <div className="live-inputs">
        <TextInput
          label="Type the bot's name"
          description={bot.nickname}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {check?.password_needed === true ? <PasswordStep onConfirmed={() => void query.refetch()} /> : null}
      </div>
    </ConfirmDialog>
  );
}

function outdated(drill: LiveCheck['drill']): LiveCheck['drill'] {
  return drill === null ? null : { ...drill, is_current: false };
}
