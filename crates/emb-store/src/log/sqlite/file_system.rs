//! Network file systems: their locks and shared memory do not keep two machines from writing to one database.

use std::path::Path;

use crate::OpenError;

/// Refuses a directory that is on a network file system.
#[cfg(target_os = "linux")]
pub(super) fn refuse_network(directory: &Path) -> Result<(), OpenError> {
    let Ok(found) = rustix::fs::statfs(directory) else {
        // Whatever is wrong with the directory is told by what comes next.
        return Ok(());
    };
    match network_name(found.f_type.cast_unsigned() & 0xffff_ffff) {
        Some(kind) => Err(OpenError::NetworkFileSystem { kind: kind.to_owned() }),
        None => Ok(()),
    }
}

/// Elsewhere nothing is known about file systems.
#[cfg(not(target_os = "linux"))]
pub(super) fn refuse_network(_directory: &Path) -> Result<(), OpenError> {
    Ok(())
}

/// The name of a network file system by the number that Linux gives it; `None` for one on this machine. A file system in
/// user space may be either, and is believed to be on this machine.
#[cfg(any(target_os = "linux", test))]
fn network_name(magic: u64) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x564c => "NCP",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x7375_7245 => "Coda",
        0x00c3_6400 => "Ceph",
        0x0102_1997 => "9P",
        0x0bd0_0bd0 => "Lustre",
        0x1983_0326 => "BeeGFS",
        0x4750_4653 => "GPFS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_told_from_local_ones() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xfe53_4d42), Some("SMB"));
        // ext4, xfs, btrfs, tmpfs, overlay, FUSE
        for local in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x6573_5546] {
            assert_eq!(network_name(local), None);
        }
        assert!(refuse_network(&std::env::temp_dir()).is_ok());
    }
}
