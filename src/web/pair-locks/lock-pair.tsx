import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { useSending } from '../live/use-sending.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { useSubmission } from '../ui/use-submission.ts';

/** See `LockPair`. */
export interface LockPairProps {
  botId: string;
  isAdmin: boolean;
  isOwn: boolean; // the bot is the caller's
  onDone: () => void;
  onCancel: () => void;
}

const lengths = [
  { value: 'none', label: 'Until it is unlocked' },
  { value: '1', label: 'For an hour' },
  { value: '24', label: 'For a day' },
  { value: '168', label: 'For a week' },
  { value: '720', label: 'For 30 days' },
] as const;
type Length = (typeof lengths)[number]['value'];

/** Asks which pair is to be locked, for whom, why and for how long. */
export function LockPair({ botId, isAdmin, isOwn, onDone, onCancel }: LockPairProps) {
  const [pair, setPair] = useState('');
  const [level, setLevel] = useState<'bot' | 'user' | 'server'>('bot');
  const [direction, setDirection] = useState<'both' | 'long' | 'short'>('both');
  const [reason, setReason] = useState('');
  const [length, setLength] = useState<Length>('none');
  const [{ busy, failed }, submit] = useSubmission<'lock'>();
  const sending = useSending('The pair may be locked already: check the list.');
  const confirm = () =>
    void submit('lock', null, async () => {
      const ends_at = length === 'none' ? null : new Date(Date.now() + Number(length) * 3_600_000).toISOString();
      const body = { level, pair: pair.trim().toUpperCase(), direction: direction === 'both' ? null : direction, reason, ends_at };
      await sending.send((signal) => api.addPairLock({ params: { id: botId }, body }, { signal }));
      onDone();
    });
  return (
    <ConfirmDialog
      opened
      title="Lock a Pair"
      message="A locked pair is not entered. Open trades keep their stops and exits."
      confirmLabel="Lock"
      loading={busy !== null}
      confirmDisabled={pair.trim() === '' || reason.trim() === ''}
      onConfirm={confirm}
      onCancel={onCancel}
    >
      <div className="locks-fields">
        <TextInput
          size="xs"
          label="Pair or Coin"
          placeholder="DOGE/USDT or DOGE"
          value={pair}
          onChange={({ currentTarget }) => setPair(currentTarget.value)}
        />
        <TextInput
          size="xs"
          label="Reason"
          maxLength={200}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <SelectBox
          label="For"
          options={[
            { value: 'bot', label: 'This bot' },
            { value: 'user', label: isOwn ? 'All your bots' : 'All bots of the owner' },
            ...(isAdmin ? [{ value: 'server' as const, label: 'The whole server' }] : []),
          ]}
          value={level}
          onChange={setLevel}
        />
        <SelectBox
          label="Direction"
          options={[
            { value: 'both', label: 'Long and short' },
            { value: 'long', label: 'Long only' },
            { value: 'short', label: 'Short only' },
          ]}
          value={direction}
          onChange={setDirection}
        />
        <SelectBox label="How Long" options={lengths} value={length} onChange={setLength} />
      </div>
      <MessageLine tone="error" text={failed === null ? null : messageOf(failed.error)} />
    </ConfirmDialog>
  );
}
