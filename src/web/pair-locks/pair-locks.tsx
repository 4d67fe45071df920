import './pair-locks.css';
import type { CallReply } from '#contract/client.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { heldData } from '../api/outage.ts';
import { useSending } from '../live/use-sending.ts';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { MessageLine } from '../ui/message-line.tsx';
import { formatMoment } from '../ui/moment.ts';
import { RowsSkeleton } from '../ui/skeleton.tsx';
import { useSubmission } from '../ui/use-submission.ts';
import { LockPair } from './lock-pair.tsx';

type Lock = CallReply<'listPairLocks'>['locks'][number];

const keyOf = (botId: string) => ['pair-locks', botId];

/** The pairs that a bot does not enter because a person has locked them; for its owner and admins. */
export function PairLocks({ botId, ownerId }: { botId: string; ownerId: string }) {
  const user = useUser();
  const isAllowed = user !== null && (user.role === 'admin' || user.userId === ownerId);
  const queryClient = useQueryClient();
  const query = useQuery({
    queryKey: keyOf(botId),
    queryFn: ({ signal }) => api.listPairLocks({ params: { id: botId } }, { signal }),
    enabled: isAllowed,
    meta: { what: 'pair locks' },
  });
  const [isAdding, setAdding] = useState(false);
  const [ending, setEnding] = useState<Lock | null>(null);
  if (!isAllowed) return null;
  const locks = heldData(query)?.locks;
  const reload = () => queryClient.invalidateQueries({ queryKey: ['pair-locks'] });
  return (
    <section className="fl-panel" aria-labelledby="pair-locks-title">
      <header className="fl-panel-head">
        <h2 id="pair-locks-title">Pair Locks</h2>
        <div className="fl-panel-aside">
          <Button variant="secondary" size="small" onClick={() => setAdding(true)}>
            Lock a Pair
          </Button>
        </div>
      </header>
      {locks !== undefined ? (
        locks.length === 0 ? (
          <EmptyState
            text="No pair is locked"
            hint="A locked pair is not entered; open trades keep their stops and exits."
            minHeight={72}
          />
        ) : (
          <ul className="locks-list" aria-label="Locked pairs">
            {locks.map((lock) => (
              <li key={lock.lock_id}>
                <p>
                  <b>{lock.pair}</b>
                  {lock.pair.includes('/') ? '' : ', all its pairs'}
                  {lock.direction === null ? '' : `, ${lock.direction} only`}: {lock.reason}
                </p>
                {lock.may_end ? (
                  <Button variant="secondary" size="small" aria-label={`Unlock ${lock.pair}`} onClick={() => setEnding(lock)}>
                    Unlock
                  </Button>
                ) : (
                  <span />
                )}
                <p className="locks-about fl-number">
                  {levels[lock.level]}, by {lock.set_by ?? 'a deleted account'},{' '}
                  {lock.ends_at === null ? 'until it is unlocked' : `until ${formatMoment(lock.ends_at).slice(0, 16)} UTC`}
                </p>
              </li>
            ))}
          </ul>
        )
      ) : query.isError ? (
        <FailedLoad
          text="Failed to load the pair locks"
          detail={messageOf(query.error)}
          isLoading={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <RowsSkeleton rows={2} />
      )}
      {isAdding ? (
        <LockPair
          botId={botId}
          isAdmin={user.role === 'admin'}
          isOwn={user.userId === ownerId}
          onDone={() => {
            setAdding(false);
            void reload();
          }}
          onCancel={() => {
            setAdding(false);
            void reload();
          }}
        />
      ) : null}
      {ending === null ? null : (
        <Unlock
          lock={ending}
          onDone={() => {
            setEnding(null);
            void reload();
          }}
          onCancel={() => {
            setEnding(null);
            void reload();
          }}
        />
      )}
    </section>
  );
}

const levels: Record<Lock['level'], string> = { bot: 'this bot', user: 'all bots of the owner', server: 'the whole server' };

function Unlock({ lock, onDone, onCancel }: { lock: Lock; onDone: () => void; onCancel: () => void }) {
  const [{ busy, failed }, submit] = useSubmission<'end'>();
  const sending = useSending(`${lock.pair} may be unlocked already: check the list.`);
  const confirm = () =>
    void submit('end', null, async () => {
      await sending.send((signal) => api.endPairLock({ params: { id: lock.lock_id } }, { signal }));
      onDone();
    });
  return (
    <ConfirmDialog
      opened
      title="Unlock Pair"
      message={`Bots may enter ${lock.pair} again with their next signal.`}
      confirmLabel="Unlock"
      loading={busy !== null}
      onConfirm={confirm}
      onCancel={onCancel}
    >
      <MessageLine tone="error" text={failed === null ? null : messageOf(failed.error)} />
    </ConfirmDialog>
  );
}
