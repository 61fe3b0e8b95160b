#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use super::{NETWORK, filesystem};

const MOUNTS: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
30 27 0:40 / /srv/share rw,relatime shared:2 master:1 - nfs4 server:/export rw,vers=4.2
31 27 0:41 / /srv/with\\040blank rw - cifs //server/share rw
32 30 0:42 / /srv/share/local rw - xfs /dev/vdb rw
33 27 0:43 / /srv/twice rw - nfs server:/a rw
34 27 0:44 / /srv/twice rw - tmpfs tmpfs rw
a line that is none
";

fn at(path: &str) -> Option<&'static str> {
    filesystem(MOUNTS, Path::new(path))
}

#[test]
fn the_deepest_mount_decides() {
    assert_eq!(at("/srv/other/users.keys"), Some("ext4"));
    assert_eq!(at("/srv/share/users.keys"), Some("nfs4"));
    assert_eq!(at("/srv/share/local/users.keys"), Some("xfs"));
    assert_eq!(at("/srv/share-not/users.keys"), Some("ext4"));
}

#[test]
fn a_blank_in_a_mount_point_is_understood() {
    assert_eq!(at("/srv/with blank/users.keys"), Some("cifs"));
}

#[test]
fn the_later_of_two_mounts_on_one_point_hides_the_earlier() {
    assert_eq!(at("/srv/twice/users.keys"), Some("tmpfs"));
}

#[test]
fn without_a_table_of_mounts_nothing_is_known() {
    assert_eq!(filesystem("", Path::new("/srv/users.keys")), None);
}

#[test]
fn network_filesystems_go_by_the_names_of_the_kernel() {
    for kind in ["nfs4", "cifs", "smb3", "9p"] {
        assert!(NETWORK.contains(&kind));
    }
    assert!(!NETWORK.contains(&"ext4"));
}
