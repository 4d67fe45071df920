import { ModeTag } from '../ui/mode-tag.tsx';
import type { Option } from '../ui/select-box.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';
import { changeEdits } from './edits-store.ts';
import { SetBack } from './set-back.tsx';
import type { ManagedBot, UserEdits } from './user-edits.ts';
import { withStatus } from './user-edits.ts';
import { pairsText } from './user-list.ts';

/** One bot of an opened account, with the choice of its status. */
export function UserBot({ bot, edits, isBusy }: { bot: ManagedBot; edits: UserEdits; isBusy: boolean }) {
  const status = edits.statuses[bot.id] ?? bot.status;
  const isChanged = status !== bot.status;
  const setStatus = (next: ManagedBot['status']) => changeEdits((before) => withStatus(before, bot, next));
  return (
    <li className="user-bot" data-changed={isChanged || undefined} aria-label={bot.name}>
      <b title={bot.name}>{bot.name}</b>
      <span className="user-bot-strategy" title={bot.strategy_name}>
        {bot.strategy_name}
      </span>
      <span>{bot.exchange}</span>
      <span>
        <ModeTag mode={bot.mode} exchangeId={bot.exchange_id} />
      </span>
      <span className="user-bot-pairs" title={bot.trading_pairs.join(', ')}>
        {pairsText(bot.trading_pairs)}
      </span>
      <span>
        <StatusBadge status={bot.status} />
      </span>
      <div className="user-role">
        <SelectBox
          label={`Status of ${bot.name}`}
          hideLabel
          options={statusOptions(bot.status)}
          value={status}
          disabled={isBusy}
          onChange={setStatus}
          className={isChanged ? 'user-select user-select-changed' : 'user-select'}
        />
        {isChanged ? (
          <SetBack what={`status of ${bot.name}`} to={bot.status} disabled={isBusy} onClick={() => setStatus(bot.status)} />
        ) : null}
      </div>
    </li>
  );
}

/** Active and paused; a stopped bot shows where it is, and cannot be stopped from here. */
function statusOptions(status: ManagedBot['status']): Option<ManagedBot['status']>[] {
  const choices: Option<ManagedBot['status']>[] = [
    { value: 'active', label: 'active' },
    { value: 'paused', label: 'paused' },
  ];
  return status === 'stopped' ? [...choices, { value: 'stopped', label: 'stopped', disabled: true }] : choices;
}
