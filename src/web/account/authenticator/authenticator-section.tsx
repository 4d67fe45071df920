import './authenticator.css';
import type { CallReply } from '#contract/client.ts';
import { Skeleton } from '@mantine/core';
import { IconShieldCheckFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dayMs } from '#engine/market/durations.ts';
import { api } from '../../api/api.ts';
import { cancelledText, isAbort } from '../../live/until-aborted.ts';
import { useSending } from '../../live/use-sending.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { setUser } from '../../session/session-store.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatMoment } from '../../ui/moment.ts';
import { useNow } from '../../ui/use-now.ts';
import { AccountSection } from '../account-section.tsx';
import type { Reports } from '../section-reports.ts';
import { BackupCodes, renewLeft } from './backup-codes.tsx';
import { SetUpApp } from './set-up-app.tsx';
import { StopFactor } from './stop-factor.tsx';

type Factors = CallReply<'getSecondFactors'>;
type Shown =
  | { is: 'remove' | 'stop-mail' | 'renew' }
  | { is: 'set-up'; made: CallReply<'startAuthenticator'> }
  | { is: 'codes'; codes: string[] };

const titles = {
  'set-up': 'Set Up an Authenticator App',
  remove: 'Remove Authenticator App',
  'stop-mail': 'Stop Mailed Codes',
  codes: 'Backup Codes',
};

/** The authenticator app as a second factor, and its backup codes. */
export function AuthenticatorSection({ onSaved, onFailed }: Reports) {
  const { data, isError, error, refetch } = useQuery({
    queryKey: ['second-factors'],
    queryFn: ({ signal }) => api.getSecondFactors({}, { signal }),
    meta: { what: 'the second factors' },
  });
  const [dialog, setDialog] = useState<Shown | null>(null);
  const sending = useSending(renewLeft);
  const [busy, setBusy] = useState<'set-up' | 'renew' | null>(null);

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
  /** The secret is made once, at the press: nothing that loads again may change it while it is being typed. */
  const setUp = async () => {
    onFailed(null);
    setBusy('set-up');
    try {
      setDialog({ is: 'set-up', made: await api.startAuthenticator({}) });
    } catch (failed) {
      onFailed({ text: 'Failed to start the set-up. Please try again.', detail: reasonOf(failed) });
    }
    setBusy(null);
  };
  const renew = async () => {
    onFailed(null);
    setBusy('renew');
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
    setBusy(null);
  };

  return (
    <AccountSection title="Authenticator App">
      {isError ? <Banner tone="error" text="Failed to load the second factors. Please try again." detail={reasonOf(error)} /> : null}
      {data === undefined && !isError ? <Skeleton height={80} aria-label="Loading the second factors" role="status" /> : null}
      {data === undefined ? null : (
        <State factors={data} isStarting={busy === 'set-up'} onSetUp={() => void setUp()} onOpen={(is) => setDialog({ is })} />
      )}
      <Dialog
        opened={dialog !== null && dialog.is !== 'renew'}
        onClose={close}
        title={dialog === null || dialog.is === 'renew' ? '' : titles[dialog.is]}
        size="md"
        closeOnClickOutside={false}
        stays={dialog?.is === 'codes'}
        classNames={{ content: 'fl-dialog' }}
      >
        {dialog?.is === 'set-up' ? (
          <SetUpApp
            made={dialog.made}
            replaces={data?.app_since !== null}
            onConfirmed={(codes) => void changed({ is: 'codes', codes })}
            onClose={close}
          />
        ) : null}
        {dialog?.is === 'codes' ? <BackupCodes codes={dialog.codes} onClose={close} /> : null}
        {(dialog?.is === 'remove' || dialog?.is === 'stop-mail') && data !== undefined ? (
          <StopFactor
            factor={dialog.is === 'remove' ? 'app' : 'mail'}
            consequence={consequenceOf(dialog.is, data)}
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
        loading={busy === 'renew'}
        onConfirm={() => void renew()}
        onCancel={() => {
          sending.cancel();
          close();
        }}
      />
    </AccountSection>
  );
}

interface StateProps {
  factors: Factors;
  isStarting: boolean;
  onSetUp: () => void;
  onOpen: (dialog: 'remove' | 'stop-mail' | 'renew') => void;
}

function State({ factors, isStarting, onSetUp, onOpen }: StateProps) {
  const { app_since: since, backup_codes: left, mailed_codes: isMailed, is_required: isRequired } = factors;
  const now = useNow(60_000);
  if (since === null)
    return (
      <div className="account-section">
        <p className="account-hint">
          {isMailed
            ? 'An app on your phone shows a code at each sign-in, also when no mail arrives. Mailed codes stay until you stop them.'
            : 'An app on your phone shows a code at each sign-in. It works without mail, and somebody who holds your mailbox cannot use it.'}
        </p>
        <div className="account-buttons">
          <Button variant="secondary" loading={isStarting} onClick={onSetUp}>
            Set Up App
          </Button>
        </div>
      </div>
    );
  // For a day an app takes nothing away that was there before it, nor do its backup codes. A clock that is behind is not believed.
  const age = now - Date.parse(since);
  const whyNoStop =
    age >= 0 && age < dayMs
      ? `Mailed codes can be stopped from ${formatMoment(Date.parse(since) + dayMs)} UTC on, a day after the app was set up.`
      : null;
  const isOnly = isRequired && !isMailed && factors.passkeys.length === 0;
  return (
    <div className="account-section">
      <p className="account-on">
        <IconShieldCheckFilled size={16} aria-hidden />
        Asked for at sign-in since {formatMoment(since)} UTC
      </p>
      <p className={left <= 2 ? 'account-key-bad' : 'account-hint'}>
        {left === 0 ? 'No backup code is left. Make new ones.' : `${left} of 10 backup codes are left.`}
      </p>
      {isMailed ? <p className="account-hint">A code by mail signs in, too. The app protects better when it does not.</p> : null}
      {isMailed && whyNoStop !== null ? <p className="account-hint">{whyNoStop}</p> : null}
      <div className="account-buttons">
        <Button variant="secondary" onClick={() => onOpen('renew')}>
          New Backup Codes
        </Button>
        <Button variant="secondary" loading={isStarting} onClick={onSetUp}>
          Set Up Again
        </Button>
        {isMailed ? (
          <Button
            variant="secondary"
            disabled={whyNoStop !== null}
            {...(whyNoStop === null ? {} : { title: whyNoStop })}
            onClick={() => onOpen('stop-mail')}
          >
            Stop Mailed Codes
          </Button>
        ) : null}
        <Button
          variant="outlined-destructive"
          disabled={isOnly}
          {...(isOnly ? { title: 'This server requires 2FA. To use another phone, set it up again.' } : {})}
          onClick={() => onOpen('remove')}
        >
          Remove
        </Button>
      </div>
    </div>
  );
}

function consequenceOf(dialog: 'remove' | 'stop-mail', { mailed_codes: isMailed, passkeys }: Factors): string {
  if (dialog === 'stop-mail')
    return 'Signing in then needs the app or a backup code. Mailed codes can be set up again once the app is removed.';
  if (passkeys.length > 0) return 'Signing in then needs a passkey. The backup codes are void: make new ones under Passkeys.';
  return isMailed
    ? 'Signing in then needs a mailed code. The backup codes are void.'
    : 'Signing in then needs your password alone. The backup codes are void.';
}
