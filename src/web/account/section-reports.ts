/** A failure of a section: its fixed text, and the reason where there is one. */
export interface SectionFailure {
  text: string;
  detail: string | null;
}

/** What a section reports; the line at the top shows it. */
export interface Reports {
  onSaved: () => void;
  onFailed: (failure: SectionFailure | null) => void; // null: an action has begun, what failed before is over
}

/** Said when something is tried that needs a session, and there is none. */
export const noSessionUser: SectionFailure = { text: 'User not authenticated. Please log in again.', detail: null };

/** Where the settings are shown: as 'Your Account Settings', or in the edit dialog of the user management. */
export type SettingsPlace = 'account' | 'user-management';
