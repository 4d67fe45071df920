import type { ReactNode } from 'react';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import type { TradingSwitch } from '../live/use-trading-state.ts';
import { cancelledText, isAbort } from '../live/until-aborted.ts';
import { useSending } from '../live/use-sending.ts';
import { useTradingState } from '../live/use-trading-state.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { ModeBand } from '../ui/mode-band.tsx';
import { showToast } from '../ui/toast.ts';
import { useSubmission } from '../ui/use-submission.ts';
import { amountText } from './amount-text.ts';
import { choiceWords } from './choice-words.ts';
import type { Choice, Difference, Differences } from '../live/use-differences.ts';

const cancelledWords = `${cancelledText} It may have been done already: check the differences of the bot.`;

interface DecideProps {
  difference: Difference; // as it was when its button was pressed
  how: Choice['how'];
  reload: () => Promise<Differences | undefined>;
  reArmOf: (of: TradingSwitch) => ReactNode;
  onClose: () => void;
}

/** Asks about a decision, with its amounts; when it is done, offers to let the bot enter again. */
export function Decide({ difference, how, reload, reArmOf, onClose }: DecideProps) {
  const [seen, setSeen] = useState(difference);
  const [isDone, setDone] = useState(false);
  const [{ busy, failed }, submit] = useSubmission<'decide'>();
  const sending = useSending();
  const choice = seen.choices.find((each) => each.how === how);
  const words = choiceWords[how];
  const decide = () =>
    void submit('decide', null, async () => {
      const { id, expected, actual } = seen;
      try {
        await sending.send((signal) => api.resolveDifference({ params: { id }, body: { how, expected, actual } }, { signal }));
      } catch (error) {
        if (isAbort(error)) showToast('error', cancelledWords);
        // Amounts that have changed are shown below the reason, and decided about with another press.
        setSeen((await reload())?.open.find((each) => each.id === id) ?? seen);
        throw error;
      }
      await reload();
      setDone(true);
    });
  if (isDone) return <Done seen={seen} text={words.done} reArmOf={reArmOf} onClose={onClose} />;
  return (
    <ConfirmDialog
      opened
      title={words.title}
      message={choice?.text ?? ''}
      confirmLabel={words.button}
      destructive={how === 'close'}
      loading={busy !== null}
      confirmDisabled={choice?.may !== true}
      onConfirm={decide}
      onCancel={() => {
        sending.cancel();
        onClose();
      }}
    >
      <ModeBand mode="live" exchangeId={seen.exchange_id} />
      <p className="differences-seen fl-number">
        {seen.nickname}, {seen.symbol}: trades say {amountText(seen.expected, seen.symbol)}, account holds{' '}
        {amountText(seen.actual, seen.symbol)}.
      </p>
      <MessageLine tone="error" text={failed === null ? null : `Nothing was done: ${messageOf(failed.error)}`} />
    </ConfirmDialog>
  );
}

function Done({ seen, text, reArmOf, onClose }: { seen: Difference; text: string } & Pick<DecideProps, 'reArmOf' | 'onClose'>) {
  const { view } = useTradingState();
  const set = view?.switches.find(({ level, id, state }) => level === 'bot' && id === seen.bot_id && state !== 'active');
  // What a person or a limit has stopped since, or before, is not lifted along with the difference.
  const ofDifference = set?.reason === 'difference' && set.may_re_arm ? set : undefined;
  return (
    <Dialog opened onClose={onClose} title="Decided" size="sm" classNames={{ content: 'fl-dialog' }}>
      <MessageLine tone="success" text={text} />
      {set === undefined ? null : (
        <p className="differences-seen">
          {ofDifference === undefined
            ? 'Something else has stopped the bot. Its kill switch, below its settings, says who or what, and re-arms it.'
            : 'The bot still makes no entries. Let it enter again when all is as it should be.'}
        </p>
      )}
      <div className="fl-dialog-actions">
        {ofDifference === undefined ? null : reArmOf(ofDifference)}
        <Button variant="secondary" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
