//! What a failure of SQLite means for the store.

use rusqlite::{Error, ErrorCode, ffi};

use crate::{BackupError, LogError, OpenError};

/// For a write or a read of the running log.
pub(super) fn log_error(error: &Error) -> LogError {
    let text = error.to_string();
    match error.sqlite_error_code() {
        // After a failed fsync nobody knows what is on the disk, and asking again may falsely succeed.
        Some(ErrorCode::SystemIoFailure) if is_fsync(error) => LogError::Fatal(text),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => LogError::Fatal(text),
        Some(ErrorCode::DiskFull) => LogError::DiskFull(text),
        _ => LogError::Io(text),
    }
}

/// For opening a store.
pub(super) fn open_error(error: &Error) -> OpenError {
    let text = error.to_string();
    match error.sqlite_error_code() {
        // Statements are sound, so one that fails as such has found other tables; so has a value of another type.
        None
        | Some(
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::Unknown
            | ErrorCode::SchemaChanged
            | ErrorCode::TypeMismatch
            | ErrorCode::ConstraintViolation
            | ErrorCode::TooBig,
        ) => OpenError::Damaged(text),
        Some(ErrorCode::DiskFull) => OpenError::DiskFull(text),
        _ => OpenError::Io(text),
    }
}

/// For writing a snapshot.
pub(super) fn backup_error(error: &impl std::fmt::Display) -> BackupError {
    BackupError::Io(error.to_string())
}

fn is_fsync(error: &Error) -> bool {
    matches!(
        error.sqlite_extended_error_code(),
        Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_failed_fsync_or_damage_needs_a_restart() {
        let error = |code| log_error(&Error::SqliteFailure(ffi::Error::new(code), None));
        assert!(matches!(error(ffi::SQLITE_FULL), LogError::DiskFull(_)));
        assert!(matches!(error(ffi::SQLITE_IOERR_WRITE), LogError::Io(_)));
        assert!(matches!(error(ffi::SQLITE_IOERR_FSYNC), LogError::Fatal(_)));
        assert!(matches!(error(ffi::SQLITE_CORRUPT), LogError::Fatal(_)));
    }
}
