import { formatMoment } from '../ui/moment.ts';
import type { EndSessionsProps } from './end-sessions.tsx';
import { EndSessions } from './end-sessions.tsx';
import { UserBot } from './user-bot.tsx';
import type { ManagedUser, UserEdits } from './user-edits.ts';

/** See `UserDetail`. */
export interface UserDetailProps {
  user: ManagedUser;
  edits: UserEdits;
  isOwn: boolean; // the signed-in admin's own account
  isBusy: boolean;
  onEndSessions: EndSessionsProps['onEnd'];
}

/** What an opened row shows: the bots of the account, its keys, when it was created. */
export function UserDetail({ user, edits, isOwn, isBusy, onEndSessions }: UserDetailProps) {
  return (
    <>
      <section aria-label={`Trading Bots of ${user.email}`}>
        <h3>Trading Bots</h3>
        {user.bots.length === 0 ? <p className="user-none">No bots</p> : null}
        <ul className="user-bot-rows">
          {user.bots.map((bot) => (
            <UserBot key={bot.id} bot={bot} edits={edits} isBusy={isBusy} />
          ))}
        </ul>
      </section>
      <div className="user-facts">
        <section aria-label={`API Keys of ${user.email}`}>
          <h3>API Keys</h3>
          {user.api_keys.length === 0 ? <p className="user-none">No API keys</p> : null}
          <ul className="user-lines fl-number">
            {user.api_keys.map((key) => (
              <li key={key.id}>
                <span>
                  {key.exchange}, {key.label === null ? '' : `${key.label} `}****{key.key_hint}
                </span>
                <span className={key.last_used === null ? 'user-none' : ''}>
                  {key.last_used === null ? 'Never' : formatMoment(key.last_used).slice(0, 16)}
                </span>
              </li>
            ))}
          </ul>
        </section>
        <section aria-label={`Account of ${user.email}`}>
          <h3>Account</h3>
          <dl className="user-lines fl-number">
            <div>
              <dt>Created</dt>
              <dd>{formatMoment(user.created_at).slice(0, 10)}</dd>
            </div>
            <div>
              <dt>API keys</dt>
              <dd>{user.api_keys.length}</dd>
            </div>
          </dl>
          <EndSessions email={user.email} isOwn={isOwn} isBusy={isBusy} onEnd={onEndSessions} />
        </section>
      </div>
    </>
  );
}
