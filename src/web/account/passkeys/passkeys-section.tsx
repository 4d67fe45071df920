import type { CallReply } from '#contract/client.ts';
import { mostPasskeys } from '#contract/passkeys.ts';
import { Skeleton } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { cancelledText, isAbort } from '../../live/until-aborted.ts';
import { useSending } from '../../live/use-sending.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { hasPasskeys } from '../../session/passkeys.ts';
import { setUser } from '../../session/session-store.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatMoment } from '../../ui/moment.ts';
import { AccountSection } from '../account-section.tsx';
import { BackupCodes, renewLeft } from '../authenticator/backup-codes.tsx';
import { StopFactor } from '../authenticator/stop-factor.tsx';
import type { Reports } from '../section-reports.ts';
import { AddPasskey } from './add-passkey.tsx';
import { RemovePasskey } from './remove-passkey.tsx';

type Factors = CallReply<'getSecondFactors'>;
type Passkey = Factors['passkeys'][number];
type Shown = { is: 'add' | 'renew' | 'stop-mail' } | { is: 'remove'; passkey: Passkey } | { is: 'codes'; codes: string[] };

const titles = { add: 'Add a Passkey', remove: 'Remove Passkey', codes: 'Backup Codes', 'stop-mail': 'Stop Mailed Codes', renew: '' };

/** The passkeys of a person, and the backup codes beside them where there is no authenticator app. */
export function PasskeysSection({ onSaved, onFailed }: Reports) {
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['second-factors'],
    queryFn: ({ signal }) => api.getSecondFactors({}, { signal }),
    meta: { what: 'the second factors' },
  });
  const [dialog, setDialog] = useState<Shown | null>(null);
  const sending = useSending(renewLeft);
  const [isRenewing, setRenewing] = useState(false);

  /** Reads again what has changed, also whether there is a second factor at all. */
  const reload = async () => Promise.all([refetch(), api.getMe({}).then(setUser, () => undefined)]);
  /** What was cancelled may have been done. */
  const close = () => {
    setDialog(null);
    void reload();
  };
  const changed = async (next: Shown | null) => {
    setDialog(next);
    onFailed(null);
    onSaved();
    await reload();
  };
  const renew = async () => {
    onFailed(null);
    setRenewing(true);
    try {
      await changed({ is: 'codes', codes: (await sending.send((signal) => api.renewBackupCodes({}, { signal }))).backup_codes });
    } catch (failed) {
      close();
      onFailed(
        isAbort(failed)
          ? { text: `${cancelledText} ${renewLeft}`, detail: null }
          : { text: 'Failed to make new backup codes. Please try again.', detail: reasonOf(failed) },
      );
    }
    setRenewing(false);
  };
  return (
    <AccountSection title="Passkeys">
      {isError ? <Banner tone="error" text="Failed to load the passkeys. Please try again." detail={reasonOf(error)} /> : null}
      {data === undefined && !isError ? <Skeleton height={80} aria-label="Loading the passkeys" role="status" /> : null}
      {data === undefined ? null : <State factors={data} onOpen={setDialog} />}
      <Dialog
        opened={dialog !== null && dialog.is !== 'renew'}
        onClose={close}
        title={dialog === null ? '' : titles[dialog.is]}
        size="md"
        closeOnClickOutside={false}
        stays={dialog?.is === 'codes'}
        classNames={{ content: 'fl-dialog' }}
      >
        {dialog?.is === 'add' ? (
          <AddPasskey onAdded={(codes) => void changed(codes.length === 0 ? null : { is: 'codes', codes })} onClose={close} />
        ) : null}
        {dialog?.is === 'codes' ? <BackupCodes codes={dialog.codes} onClose={close} /> : null}
        {dialog?.is === 'remove' && data !== undefined ? (
          <RemovePasskey
            passkey={dialog.passkey}
            consequence={consequenceOf(data)}
            hasApp={data.app_since !== null}
            canUsePasskey={isHere(data)}
            onRemoved={() => void changed(null)}
            onClose={close}
          />
        ) : null}
        {dialog?.is === 'stop-mail' ? (
          <StopFactor
            factor="mail"
            label="Backup Code"
            consequence="Signing in then needs a passkey or a backup code. Mailed codes can be set up again once the passkeys are removed."
            onStopped={() => void changed(null)}
            onClose={close}
          />
        ) : null}
      </Dialog>
      <ConfirmDialog
        opened={dialog?.is === 'renew'}
        title="New Backup Codes"
        message="Make ten new backup codes? The ones you have are void then."
        confirmLabel="Make New Codes"
        loading={isRenewing}
        onConfirm={() => void renew()}
        onCancel={() => {
          sending.cancel();
          close();
        }}
      />
    </AccountSection>
  );
}

function State({ factors, onOpen }: { factors: Factors; onOpen: (dialog: Shown) => void }) {
  const { passkeys, app_since: appSince, backup_codes: left, mailed_codes: isMailed } = factors;
  const isAlone = appSince === null && passkeys.length > 0; // the backup codes are those beside passkeys
  const isNeeded = factors.is_required && isAlone && !isMailed && passkeys.length === 1;
  const whyNot = !isHere(factors) ? whyNotHere(factors) : passkeys.length >= mostPasskeys ? 'You have ten. Remove one first.' : null;
  return (
    <div className="account-section">
      {passkeys.length === 0 ? (
        <p className="account-hint">
          A fingerprint, a face, a PIN or a security key at each sign-in. It works on this page alone: nobody can talk you out of it.
        </p>
      ) : (
        <ul className="account-rows" aria-label="Passkeys">
          {passkeys.map((passkey) => (
            <li className="account-row" key={passkey.id}>
              <IconFingerprint size={16} aria-hidden />
              <div className="account-row-text">
                <span>{passkey.name}</span>
                <span className="account-hint">
                  Added {formatMoment(passkey.added_at)} UTC,{' '}
                  {passkey.last_used_at === null ? 'never used' : `last used ${formatMoment(passkey.last_used_at)} UTC`}
                </span>
              </div>
              <Button
                variant="secondary"
                aria-label={`Remove ${passkey.name}`}
                disabled={isNeeded}
                {...(isNeeded ? { title: 'This server requires 2FA. Add another passkey first.' } : {})}
                onClick={() => onOpen({ is: 'remove', passkey })}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isAlone ? (
        <p className={left <= 2 ? 'account-key-bad' : 'account-hint'}>
          {left === 0 ? 'No backup code is left. Make new ones.' : `${left} of 10 backup codes are left.`}
        </p>
      ) : null}
      {isAlone && isMailed ? <p className="account-hint">A code by mail signs in, too. Passkeys protect better when it does not.</p> : null}
      {whyNot === null ? null : <p className="account-hint">{whyNot}</p>}
      <div className="account-buttons">
        <Button
          variant="secondary"
          disabled={whyNot !== null}
          {...(whyNot === null ? {} : { title: whyNot })}
          onClick={() => onOpen({ is: 'add' })}
        >
          Add Passkey
        </Button>
        {isAlone ? (
          <Button variant="secondary" onClick={() => onOpen({ is: 'renew' })}>
            New Backup Codes
          </Button>
        ) : null}
        {isAlone && isMailed ? (
          <Button variant="secondary" onClick={() => onOpen({ is: 'stop-mail' })}>
            Stop Mailed Codes
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** Whether passkeys work in this browser, at this address of the page. */
function isHere({ passkey_origin: origin }: Factors): boolean {
  return origin === window.location.origin && hasPasskeys();
}

function whyNotHere({ passkey_origin: origin }: Factors): string {
  if (origin === null) return 'Passkeys need https. Ask the operator to set the public address of this server.';
  return origin === window.location.origin ? 'This browser has no passkeys.' : `Passkeys work at ${origin}. Open the page there.`;
}

function consequenceOf({ passkeys, app_since: appSince, mailed_codes: isMailed }: Factors): string {
  if (passkeys.length > 1) return 'Your other passkeys stay.';
  if (appSince !== null) return 'Signing in then needs the authenticator app.';
  return isMailed
    ? 'Signing in then needs a mailed code. The backup codes are void.'
    : 'Signing in then needs your password alone. The backup codes are void.';
}
