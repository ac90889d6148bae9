//! Addresses of peers.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use malachitebft_app_channel::app::net::Multiaddr;
use serde::Deserialize;
use serde::de::{self, Deserializer};

/// The address of a validator: `host:port` or a multiaddress such as `/dns4/host/tcp/27000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer(pub Multiaddr);

impl FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let address = if text.starts_with('/') { Some(text.to_owned()) } else { multiaddr_from_host_port(text) };
        address
            .and_then(|address| address.parse().ok())
            .filter(has_transport)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not an address; want host:port or /dns4/host/tcp/port"))
    }
}

fn multiaddr_from_host_port(text: &str) -> Option<String> {
    let (host, port) = text.rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => Some(format!("/ip4/{ip}/tcp/{port}")),
        Ok(IpAddr::V6(ip)) if host.starts_with('[') => Some(ipv6_multiaddr(ip, port)),
        Err(_) if !host.is_empty() && !host.contains(':') => Some(format!("/dns4/{host}/tcp/{port}")),
        _ => None,
    }
}

fn ipv6_multiaddr(ip: Ipv6Addr, port: u16) -> String {
    format!("/ip6/{ip}/tcp/{port}")
}

/// Reports whether the address has one of the two transports that the library requires to start.
fn has_transport(address: &Multiaddr) -> bool {
    let text = address.to_string();
    text.contains("/tcp/") || text.ends_with("/quic-v1")
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'de> Deserialize<'de> for Peer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
