import { TextInput } from '@mantine/core';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { Button } from '../../ui/button.tsx';
import type { BotTrade } from '../use-bot-details.ts';
import { useCommentsAround } from './use-comments.ts';

const adminsOnly = 'Only admins can save trade notes';

/** The comment of a trade, to be changed by admins. */
export function CommentCell({ trade }: { trade: BotTrade }) {
  const { drafts, saving, type, save } = useCommentsAround();
  const mayWrite = isAdmin(useUser());
  const stored = trade.note ?? '';
  const text = drafts.get(trade.trade_id) ?? stored;
  const isBusy = saving.has(trade.trade_id);
  const named = `${trade.symbol} of ${trade.entry_time}`;
  return (
    <form
      className="bot-comment"
      title={mayWrite ? text : adminsOnly}
      onSubmit={(event) => {
        event.preventDefault();
        save(trade);
      }}
    >
      <TextInput
        aria-label={`Comment on ${named}`}
        placeholder={mayWrite ? 'Add a comment' : ''}
        maxLength={2000}
        disabled={!mayWrite}
        value={text}
        onChange={(event) => type(trade.trade_id, event.currentTarget.value)}
      />
      <Button
        type="submit"
        size="small"
        variant={text === stored ? 'secondary' : 'primary'}
        aria-label={`Save comment on ${named}`}
        disabled={!mayWrite || text === stored}
        loading={isBusy}
        {...(mayWrite ? {} : { title: adminsOnly })}
      >
        Save
      </Button>
    </form>
  );
}
