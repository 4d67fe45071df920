/** What an action is called: once it is done, and when it was refused or failed. */
interface ActionText {
  done: string;
  tried: string;
  changes?: string; // what its `from` and `to` are, where they are plain values
}

const actions: Readonly<Record<string, ActionText>> = {
  register: { done: 'Created an account', tried: 'Tried to create an account' },
  'verify-email': { done: 'Confirmed the e-mail address', tried: 'Tried to confirm the e-mail address' },
  'sign-in': { done: 'Signed in', tried: 'Tried to sign in' },
  'sign-out': { done: 'Signed out', tried: 'Tried to sign out' },
  'end-session': { done: 'Ended a session', tried: 'Tried to end a session' },
  'end-other-sessions': { done: 'Ended all other sessions', tried: 'Tried to end all other sessions' },
  'refresh-reuse': { done: 'Used a session a second time', tried: 'Used a session that somebody else held too' },
  'set-up-2fa': { done: 'Set up two-factor sign-in', tried: 'Tried to set up two-factor sign-in' },
  'set-up-authenticator': { done: 'Set up an authenticator app', tried: 'Tried to set up an authenticator app' },
  'stop-authenticator': { done: 'Took an authenticator app away', tried: 'Tried to take an authenticator app away' },
  'add-passkey': { done: 'Added a passkey', tried: 'Tried to add a passkey' },
  'remove-passkey': { done: 'Removed a passkey', tried: 'Tried to remove a passkey' },
  'renew-backup-codes': { done: 'Made new backup codes', tried: 'Tried to make new backup codes' },
  'use-backup-code': { done: 'Used a backup code', tried: 'Tried to use a backup code' },
  'stop-mailed-codes': { done: 'Switched mailed 2FA codes off', tried: 'Tried to switch mailed 2FA codes off' },
  'change-password': { done: 'Changed the password', tried: 'Tried to change the password' },
  'reset-password': { done: 'Set a new password by e-mail', tried: 'Tried to set a new password by e-mail' },
  'send-code': { done: 'Code sent', tried: 'Code could not be sent' },
  'confirm-password': { done: 'Confirmed the password', tried: 'Entered a wrong password to confirm' },
  'second-factor-locked': { done: 'Locked for an hour by wrong 2FA codes', tried: 'Locked by ten wrong 2FA codes in an hour' },
  'password-reset-needed': { done: 'Locked by wrong 2FA codes', tried: 'Locked by a hundred wrong 2FA codes' },
  'end-user-sessions': { done: 'Ended all sessions of a user', tried: 'Tried to end all sessions of a user' },
  'end-all-sessions': { done: 'Ended all sessions of everybody', tried: 'Tried to end all sessions of everybody' },
  'reset-2fa': { done: 'Switched off two-factor sign-in of a user', tried: 'Tried to switch off two-factor sign-in of a user' },
  'set-up': { done: 'Created the first admin', tried: 'Tried to create the first admin' },
  'call-denied': { done: 'Called what the role allows', tried: 'Called what the role does not allow' },
  'verify-user': { done: 'Verified a user', tried: 'Tried to verify a user' },
  'change-role': { done: 'Changed the role of a user', tried: 'Tried to change the role of a user', changes: 'Role' },
  'change-strategy': { done: 'Changed the settings of a strategy', tried: 'Tried to change the settings of a strategy' },
  'make-rules': { done: 'Created a strategy of rules', tried: 'Tried to create a strategy of rules' },
  'save-rules': { done: 'Changed a strategy of rules', tried: 'Tried to change a strategy of rules', changes: 'Version' },
  'share-rules': {
    done: 'Changed who may use a strategy of rules',
    tried: 'Tried to change who may use a strategy of rules',
    changes: 'Sharing',
  },
  'remove-rules': { done: 'Removed a strategy of rules', tried: 'Tried to remove a strategy of rules' },
  'cancel-backtest': { done: 'Cancelled a backtest of somebody else', tried: 'Tried to cancel a backtest of somebody else' },
  'start-study': { done: 'Began a study', tried: 'Tried to begin a study' },
  'cancel-study': { done: 'Cancelled a study', tried: 'Tried to cancel a study' },
  'open-seal': { done: 'Opened the sealed time of a study', tried: 'Tried to open the sealed time of a study' },
  'remove-study': { done: 'Removed a study', tried: 'Tried to remove a study' },
  'change-setting': {
    done: 'Changed a setting of the installation',
    tried: 'Tried to change a setting of the installation',
    changes: 'Setting',
  },
  invite: { done: 'Invited somebody', tried: 'Tried to invite somebody' },
  'withdraw-invitation': { done: 'Withdrew an invitation', tried: 'Tried to withdraw an invitation' },
  'test-webhook': { done: 'Sent a test message to a chat', tried: 'Could not send a test message to a chat' },
  'test-sheet': { done: 'Wrote a test row to a spreadsheet', tried: 'Could not write a test row to a spreadsheet' },
  'stop-trading': { done: 'Stopped trading', tried: 'Tried to stop trading', changes: 'Trading' },
  'close-all': { done: 'Closed all open trades', tried: 'Tried to close all open trades', changes: 'Trading' },
  're-arm-trading': { done: 'Re-armed trading', tried: 'Tried to re-arm trading', changes: 'Trading' },
  'create-bot': { done: 'Created a bot', tried: 'Tried to create a bot' },
  'import-bot': { done: 'Moved a bot here from freqtrade', tried: 'Tried to move a bot here from freqtrade' },
  'import-trades': { done: 'Imported trades of a bot', tried: 'Tried to import trades of a bot' },
  'change-bot': { done: 'Changed the settings of a bot', tried: 'Tried to change the settings of a bot' },
  'take-version': { done: 'Took a newer version of a strategy', tried: 'Tried to take a newer version of a strategy', changes: 'Version' },
  'bot-status': { done: 'Changed the status of a bot', tried: 'Tried to change the status of a bot', changes: 'Status' },
  'archive-bot': { done: 'Archived a bot', tried: 'Tried to archive a bot' },
  'bring-back-bot': { done: 'Brought an archived bot back', tried: 'Tried to bring an archived bot back' },
  'tag-bot': { done: 'Changed the tags of a bot', tried: 'Tried to change the tags of a bot', changes: 'Tags' },
  'delete-bot': { done: 'Deleted a bot', tried: 'Tried to delete a bot' },
  'bot-mode': { done: 'Switched a bot between paper and live', tried: 'Tried to switch a bot between paper and live', changes: 'Mode' },
  'add-api-key': { done: 'Added an API key', tried: 'Tried to add an API key' },
  'test-api-key': { done: 'Tested an API key', tried: 'Tried to test an API key' },
  'delete-api-key': { done: 'Deleted an API key', tried: 'Tried to delete an API key' },
  'add-channel': { done: 'Added a channel', tried: 'Tried to add a channel' },
  'change-channel': { done: 'Changed a channel', tried: 'Tried to change a channel' },
  'test-channel': { done: 'Sent a test message to a channel', tried: 'Could not send a test message to a channel' },
  'end-channel': { done: 'Removed a channel whose browser takes no messages any more', tried: 'Tried to remove a channel' },
  'delete-channel': { done: 'Deleted a channel', tried: 'Tried to delete a channel' },
  'send-test-mail': { done: 'Sent a test mail', tried: 'Tried to send a test mail' },
  'replay-day': { done: 'Had a day of a bot replayed', tried: 'Tried to have a day of a bot replayed' },
  'report-mail': { done: 'Changed whether reports are mailed', tried: 'Tried to change whether reports are mailed', changes: 'Mail' },
  'retry-mail': { done: 'Sent a mail again', tried: 'Tried to send a mail again' },
  'change-master-key': { done: 'Changed the master key', tried: 'Tried to change the master key' },
  'replace-master-key': { done: 'Replaced a lost master key', tried: 'Tried to replace a lost master key' },
  'acknowledge-alarms': { done: 'Took note of alarms', tried: 'Tried to take note of alarms' },
  'acknowledge-alarm': { done: 'Took note of an alarm', tried: 'Tried to take note of an alarm' },
  'change-limits': { done: 'Changed limits', tried: 'Tried to change limits' },
  'limit-reached': { done: 'A loss reached its limit', tried: 'Reached a limit' },
  'enter-by-hand': { done: 'Entered a trade by hand', tried: 'Tried to enter a trade by hand' },
  'add-by-hand': { done: 'Added to a trade', tried: 'Tried to add to a trade' },
  'take-out-by-hand': { done: 'Took a part out of a trade', tried: 'Tried to take a part out of a trade' },
  'move-stop': { done: 'Moved a stop', tried: 'Tried to move a stop' },
  'lock-pair': { done: 'Locked a pair', tried: 'Tried to lock a pair' },
  'unlock-pair': { done: 'Unlocked a pair', tried: 'Tried to unlock a pair' },
  'close-trade': { done: 'Closed a trade', tried: 'Tried to close a trade' },
  'try-stop': { done: 'Tried the stop of a trade again', tried: 'Could not try the stop of a trade again' },
  'resolve-difference': { done: 'Decided about a difference of an account', tried: 'Tried to decide about a difference of an account' },
  'find-order': { done: 'Found an order without a record', tried: 'Tried to find orders without a record' },
  'trade-note': { done: 'Wrote a note on a trade', tried: 'Tried to write a note on a trade' },
  backup: { done: 'Made a backup', tried: 'Tried to make a backup' },
  restore: { done: 'Restored a backup', tried: 'Tried to restore a backup' },
};

/** The actions that have a text, by what they are called, in the order of a list to choose from. */
export const knownActions = Object.entries(actions).map(([value, { done }]) => ({ value, label: done }));

/** What was done or tried, as a person would say it; an action without a text is shown as it is. */
export function actionText(action: string, result: string): string {
  const text = textOf(action);
  if (text === undefined) return action;
  return result === 'ok' ? text.done : text.tried;
}

/** The name of the one value that an action changes. */
export function changedField(action: string): string {
  return textOf(action)?.changes ?? 'Value';
}

function textOf(action: string): ActionText | undefined {
  return Object.hasOwn(actions, action) ? actions[action] : undefined;
}
